#!/bin/bash
echo "ok - a"; echo "# why"; echo "not ok - b"; echo "skip - c"; exit 3