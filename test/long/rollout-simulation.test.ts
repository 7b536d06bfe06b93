import { rolloutSimulation } from '../support/rollout-simulation.ts'

rolloutSimulation({ size: 2_000 })
