"""Many VMs at once: alike ones expanded once, processes and Dask, answers of earlier runs, files read VM by VM."""
