"""`bcv`, `bcv-cot`, `sca`, `issc` and `issc-cot`: a judge reads the answer."""
