import { describe, expect, inject, test } from 'vitest'
import { verifies } from '../requirements.ts'
import { least, leastDaemon, leastOffline, merged, type Values } from '../support/chart-values.ts'
import { render, type ChartName } from '../support/helm.ts'

const helm = inject('helm')

const refusal = async (chart: ChartName, values: Values, namespace = 'svc-system') =>
  render({ helm, chart, values, namespace }).then(
    () => 'it rendered',
    (error: Error) => error.message,
  )

const denying = (cidr: string): Values => ({ networkPolicy: { deniedCidrs: [cidr] } })

describe('svc-platform refuses', () => {
  const cases: [string, Values, string | RegExp][] = [
    ['an unknown value', { replicas: 2 }, 'replicas'],
    ['an unknown value deep inside', { daemons: { storage: { sise: '5Gi' } } }, 'sise'],
    ['a word for a number', { web: { replicas: 'two' } }, /web.replicas/],
    ['an environment that is none', { controlPlane: { environment: 'prod' } }, /environment/],
    ['a short digest', { daemons: { image: { digest: 'sha256:abc' } } }, /daemons.image.digest/],
    ['two replicas without Redis', { web: { replicas: 2 } }, /web.replicas/],
    ['autoscaling without Redis', { web: { autoscaling: { enabled: true } } }, /autoscaling.enabled/],
    ['workers without Redis', { worker: { replicas: 1 } }, /worker.replicas/],
    ['processes for agents without Redis', { agents: { enabled: true, replicas: 1 } }, /agents.replicas/],
    [
      'processes for agents without agents',
      { redis: { url: 'redis://r' }, agents: { replicas: 1 } },
      'agents.replicas: set agents.enabled',
    ],
    ['backups without a key', { backups: { bucket: 'b' } }, 'backups.existingSecret: name the Secret'],
    [
      'a previous key without its Secret',
      { auth: { existingSecret: '', previousSecretKey: 'k' } },
      "the chart's own is svc-svc-platform-generated",
    ],
    ['no registry', { imageRegistry: '' }, 'imageRegistry: name the registry'],
    ['no address', { baseUrl: '' }, 'baseUrl: name the origin'],
    ['an address with a path', { baseUrl: 'https://svc.example.net/svc' }, /baseUrl/],
    ['an address without TLS', { baseUrl: 'http://svc.example.net' }, 'baseUrl: must be https'],
    ['no wildcard host', { vaultOriginTemplate: '' }, 'vaultOriginTemplate: name the origin of vaults'],
    ['a wildcard host without its label', { vaultOriginTemplate: 'https://vaults.example.org' }, /vaultOriginTemplate/],
    ['vaults below the web app', { vaultOriginTemplate: 'https://{label}.svc.example.net' }, 'must not lie below'],
    ['no database', { database: { existingSecret: '' } }, 'database.existingSecret: name the Secret'],
    [
      'two databases',
      { trial: { postgres: { enabled: true } } },
      'trial.postgres.enabled: there is a database already',
    ],
    ['two Redis', { redis: { url: 'redis://r' }, trial: { valkey: { enabled: true } } }, 'there is a Redis already'],
    ['no mail server', { mail: { existingSecret: '' } }, 'mail.existingSecret: name the Secret'],
    ['a client without its secret', { signIn: { google: { clientId: 'x' } } }, 'signIn.google.existingSecret'],
    ['no image of daemons', { daemons: { image: { digest: '' } } }, 'daemons.image.digest: name the digest'],
    ['a gateway without a name', { gatewayApi: { enabled: true } }, 'gatewayApi.parentRefs: name the Gateway'],
    [
      'an ingress whose addresses nobody trusts',
      { ingress: { enabled: true } },
      'controlPlane.trustedProxies: name the addresses',
    ],
    [
      'a gateway whose addresses nobody trusts',
      { gatewayApi: { enabled: true, parentRefs: [{ name: 'public' }] } },
      'controlPlane.trustedProxies: name the addresses',
    ],
    [
      'monitors that the network policies let nobody read',
      { monitoring: { serviceMonitor: { enabled: true } } },
      'networkPolicy.metricsFrom: name the pods of Prometheus',
    ],
    [
      'alerts about metrics that nobody may read',
      { monitoring: { prometheusRule: { enabled: true } } },
      'networkPolicy.metricsFrom: name the pods of Prometheus',
    ],
    ['a denied address without its length', denying('169.254.169.254'), /networkPolicy.deniedCidrs/],
    ['a denied range of neither family', denying('fd/8'), /networkPolicy.deniedCidrs/],
    ['a variable that a value sets', { controlPlane: { extraEnv: { BASE_URL: 'x' } } }, 'extraEnv.BASE_URL'],
    [
      'authorities in a variable and in a ConfigMap',
      { controlPlane: { caConfigMap: 'ca', extraEnv: { NODE_EXTRA_CA_CERTS: '/ca.crt' } } },
      'extraEnv.NODE_EXTRA_CA_CERTS: another value',
    ],
    ['a variable that a Secret sets', { controlPlane: { extraEnv: { DATABASE_URL: 'x' } } }, 'extraEnv.DATABASE_URL'],
  ]
  test.each(cases)('%s', async (_what, change, says) => {
    verifies('chart.closed')
    expect(await refusal('svc-platform', merged(leastOffline, change))).toMatch(says)
  })

  test('one namespace for platform and daemons', async () => {
    verifies('security.two-namespaces')
    expect(await refusal('svc-platform', leastOffline, 'svc-daemons')).toContain('daemons.namespace: must differ')
  })

  // `helm template` and what renders with it, such as Argo CD, cannot read back what the chart made before.
  test.each<[string, Values, string]>([
    ['a key of its own', {}, 'auth.existingSecret, auth.operatorOrg: set both'],
    ['an operator organization of its own', { auth: { existingSecret: 'svc-auth' } }, 'auth.operatorOrg: set both'],
    ['a database of its own', { trial: { postgres: { enabled: true } } }, 'trial.postgres.enabled: leave it off'],
    ['a Valkey of its own', { trial: { valkey: { enabled: true } } }, 'trial.valkey.enabled: leave it off'],
  ])('%s where it sees no cluster, and says how it sees one', async (_what, change, says) => {
    verifies('chart.no-new-keys')
    const said = await refusal('svc-platform', merged(least, change))
    expect(said).toContain(says)
    expect(said).toContain('--dry-run=server')
  })

  test('several things at once, each named', async () => {
    const said = await refusal(
      'svc-platform',
      merged(leastOffline, { imageRegistry: '', baseUrl: '', database: { existingSecret: '' } }),
    )
    for (const name of ['imageRegistry:', 'baseUrl:', 'database.existingSecret:']) expect(said).toContain(name)
  })
})

describe('svcd refuses', () => {
  const cases: [string, Values, string | RegExp][] = [
    ['an unknown value', { replicas: 2 }, 'replicas'],
    ['no image', { image: { repository: '' } }, 'image.repository: name'],
    ['a relay without a key', { relay: { existingSecret: '' } }, 'relay.existingSecret: name the Secret'],
    ['a key without a relay', { relay: { url: '' } }, 'relay.url: name the address'],
    [
      'a relay without TLS',
      { relay: { url: 'http://svc.example.net/t/org_aaaaaaaaaaaaaaaaaaaaaaaa' } },
      'relay.url: must be https',
    ],
    ['an address that is no relay', { relay: { url: 'https://svc.example.net' } }, /relay.url/],
    [
      'neither relay nor local use',
      { relay: { url: '', existingSecret: '' } },
      'relay.url: set relay.url or local.enabled',
    ],
    ['local use without names', { local: { enabled: true } }, 'local.allowedHosts: name the hosts'],
    ['a denied address without its length', denying('169.254.169.254'), /networkPolicy.deniedCidrs/],
    ['a key in a variable', { extraEnv: { SVC_RELAY_TOKEN: 'x' } }, 'extraEnv.SVC_RELAY_TOKEN'],
  ]
  test.each(cases)('%s', async (_what, change, says) => {
    expect(await refusal('svcd', merged(leastDaemon, change))).toMatch(says)
  })
})
