import { rolloutSimulation } from '../support/rollout-simulation.ts'

// For a fleet of 2,000: `npm run test:long -- rollout-simulation`.
rolloutSimulation({ size: 400 })
