#!/bin/bash
echo "ok - a"; exit 3