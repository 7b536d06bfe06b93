import { rolloutSimulation } from '../support/rollout-simulation.ts'

// 2,000 of them: `npm run test:long -- rollout-simulation`.
rolloutSimulation({ size: 400 })
