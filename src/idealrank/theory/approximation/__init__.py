"""How close smooth measures are to the measures they approximate (Qin et al. 2008)."""
