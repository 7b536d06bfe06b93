import type { OperatorDeps } from '../../operator/src/app.ts'

const reach = { namespace: 'svc-system', labels: { app: 'x' } }

/** Settings for the children of a daemon, as a chart without further values gives them. */
export const childSettings: OperatorDeps['config']['children'] = {
  probePort: 7383,
  insecureRelay: 'allowed',
  imagePullSecrets: [],
  nodeSelector: {},
  cpuRequestPercent: 10,
  reach: { operator: reach, dns: reach, relay: { ...reach, port: 7380 } },
}
