# The agent's decisions: no socket, no process, no clock.
ks_room(ks_agent_core
  SOURCES core.cpp core_gpus.cpp core_invariants.cpp core_leases.cpp core_placement.cpp core_slots.cpp
          core_units.cpp
  DEPENDS ks_shared)
