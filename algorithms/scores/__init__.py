"""How well an assignment does: consumers, Rscore and latency of every iteration."""
