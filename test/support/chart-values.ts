import type { ChartName } from './helm.ts'

export type ValueSet = { name: string; chart: ChartName; values: Values }
export type Values = { [name: string]: Values | string | number | boolean | readonly unknown[] }

const DIGEST = `sha256:${'a'.repeat(64)}`

/** The least that svc-platform installs with. */
export const least: Values = {
  imageRegistry: 'registry.example.net/svc',
  baseUrl: 'https://svc.example.net',
  vaultOriginTemplate: 'https://{label}.vaults.example.org',
  database: { existingSecret: 'svc-database' },
  mail: { existingSecret: 'svc-mail' },
  daemons: { image: { digest: DIGEST } },
}

/** What a platform with several replicas is installed with. */
export const production: Values = merged(least, {
  redis: { existingSecret: 'svc-redis' },
  auth: { existingSecret: 'svc-auth', operatorOrg: 'org_aaaaaaaaaaaaaaaaaaaaaaaa' },
  web: { replicas: 3 },
  worker: { replicas: 2 },
  ingress: { enabled: true, className: 'nginx', tlsSecret: 'svc-tls', vaultTlsSecret: 'vaults-tls' },
  monitoring: { serviceMonitor: { enabled: true }, prometheusRule: { enabled: true }, dashboards: { enabled: true } },
})

/** The least that svcd installs with. */
export const leastDaemon: Values = {
  image: { repository: 'registry.example.net/svc/svcd' },
  relay: { url: 'https://svc.example.net/t/org_aaaaaaaaaaaaaaaaaaaaaaaa', existingSecret: 'svcd-relay' },
}

const scheduling = {
  nodeSelector: { disk: 'ssd' },
  tolerations: [{ key: 'svc', operator: 'Exists' }],
  affinity: { podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, podAffinityTerm: { topologyKey: 'zone', labelSelector: { matchLabels: { a: 'b' } } } }] } }, // prettier-ignore
  podAnnotations: { 'example.net/scrape': 'no' },
}
const peers = [{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'ingress-nginx' } } }]
const trial = { database: { existingSecret: '' }, trial: { postgres: { enabled: true }, valkey: { enabled: true } } }

const changes: Record<string, Values> = {
  'a trial': merged(trial, { baseUrl: 'http://localhost:7380', vaultOriginTemplate: 'http://{label}.localhost:7390', mail: { existingSecret: '' } }), // prettier-ignore
  'a trial with storage classes': merged(trial, { trial: { postgres: { storageClassName: 'fast', storage: '20Gi' }, valkey: { storageClassName: 'fast', program: 'redis-server' } } }), // prettier-ignore
  'addresses in values': { database: { existingSecret: '', url: 'postgres://svc:p@db/svc' }, redis: { url: 'redis://r:6379' } }, // prettier-ignore
  'other keys of Secrets': { database: { existingSecretKey: 'dsn', pool: 40 }, mail: { existingSecretKey: 'dsn' } },
  'a Redis by Secret': { redis: { existingSecret: 'svc-redis' } },
  'several replicas': { redis: { existingSecret: 'svc-redis' }, web: { replicas: 4 } },
  'workers of their own': { redis: { existingSecret: 'svc-redis' }, worker: { replicas: 2 } },
  autoscaling: { redis: { existingSecret: 'svc-redis' }, web: { autoscaling: { enabled: true, maxReplicas: 10 } } },
  'a larger disruption': { redis: { existingSecret: 'svc-redis' }, web: { replicas: 6, podDisruptionBudget: { maxUnavailable: 2 } } }, // prettier-ignore
  'a signing key of the owner': { auth: { existingSecret: 'svc-auth' } },
  'an operator organization': { auth: { operatorOrg: 'org_bbbbbbbbbbbbbbbbbbbbbbbb' } },
  'sign-in with Google': { signIn: { google: { clientId: 'id', existingSecret: 'google' } } },
  'single sign-on': { signIn: { oidc: { issuer: 'https://id.example.net', clientId: 'id', existingSecret: 'oidc', emailDomains: ['example.net', 'example.org'] } } }, // prettier-ignore
  automation: { imageToken: { existingSecret: 'image-token' }, provisioning: { existingSecret: 'code' } },
  'images by digest': { controlPlane: { image: { digest: DIGEST } }, operator: { image: { digest: DIGEST } } },
  'images by tag and pull secrets': { controlPlane: { image: { tag: '2.0.0', pullPolicy: 'Always' } }, imagePullSecrets: ['registry'], daemons: { imagePullSecrets: ['registry'] } }, // prettier-ignore
  'further variables and options': { controlPlane: { extraEnv: { TUNNELS_PER_DAEMON: '3' }, nodeOptions: ['--max-old-space-size=512'], auditRetentionDays: 400, trustedProxies: ['10.0.0.0/8'], logLevel: 'debug' } }, // prettier-ignore
  'no operator': { operator: { enabled: false } },
  'no operator, all else': { operator: { enabled: false }, redis: { existingSecret: 'svc-redis' }, web: { replicas: 2 }, monitoring: production.monitoring! }, // prettier-ignore
  'one operator': { operator: { replicas: 1, workers: 16, nodeOptions: [] } },
  'accounts that are there': { controlPlane: { serviceAccount: { create: false, name: 'cp' } }, operator: { serviceAccount: { create: false, name: 'op' } } }, // prettier-ignore
  'accounts with annotations': { controlPlane: { serviceAccount: { annotations: { a: 'b' } } }, operator: { serviceAccount: { annotations: { a: 'b' } } } }, // prettier-ignore
  'another namespace of daemons': { daemons: { namespace: 'tenants' } },
  'a namespace that is there': { daemons: { namespace: 'tenants', createNamespace: false } },
  'an owner of the schema': { database: { existingSecret: 'svc-database', ownerSecretKey: 'owner-url' } },
  'daemons as they are wanted': { daemons: { storage: { size: '20Gi', maxSize: '200Gi', growAbovePercent: 70, className: 'fast' }, idleSeconds: 600, cpu: '2', memory: '2Gi', nodeSelector: { pool: 'daemons' }, quota: { 'requests.storage': '10Ti' } } }, // prettier-ignore
  'another repository of daemons': { daemons: { image: { repository: 'other.example.net:5000/team/svcd' } } },
  'a registry of daemons': { daemons: { registry: { url: 'https://registry.example.net', existingSecret: 'registry', caConfigMap: 'ca' } } }, // prettier-ignore
  'names resolved by address': { daemons: { dns: { cidr: '10.0.0.10/32' } } },
  'no resource definition': { crds: { install: false } },
  'a definition that goes': { crds: { keep: false } },
  'an ingress': { ingress: { enabled: true, className: 'nginx', tlsSecret: 'a', vaultTlsSecret: 'b' } },
  'an ingress of another class': { ingress: { enabled: true, className: 'traefik', annotations: { 'example.net/a': 'b' } } }, // prettier-ignore
  'a relay of its own': { relayUrl: 'https://relay.example.net', ingress: { enabled: true, className: 'nginx', relayTlsSecret: 'c' } }, // prettier-ignore
  'a gateway': { gatewayApi: { enabled: true, parentRefs: [{ name: 'public', namespace: 'gateways', sectionName: 'https' }], annotations: { a: 'b' } } }, // prettier-ignore
  'a gateway and a relay of its own': { relayUrl: 'https://relay.example.net', gatewayApi: { enabled: true, parentRefs: [{ name: 'public' }] } }, // prettier-ignore
  'a load balancer': { service: { type: 'LoadBalancer', annotations: { 'example.net/internal': 'true' } } },
  'node ports': { service: { type: 'NodePort' } },
  'no network policies': { networkPolicy: { enabled: false } },
  'narrow network policies': { networkPolicy: { ingressFrom: peers, metricsFrom: peers, deniedCidrs: ['169.254.0.0/16', '10.0.0.0/8'] } }, // prettier-ignore
  'monitors with labels': { monitoring: { serviceMonitor: { enabled: true, interval: '10s', labels: { release: 'prometheus' } }, prometheusRule: { enabled: true, labels: { release: 'prometheus' }, runbookBaseUrl: 'https://wiki.example.net/#' } } }, // prettier-ignore
  dashboards: { monitoring: { dashboards: { enabled: true, labels: {} } } },
  'nodes of its own': { redis: { existingSecret: 'r' }, web: { ...scheduling, priorityClassName: 'high' }, worker: { ...scheduling, replicas: 1, topologyKey: '' }, operator: { ...scheduling, topologyKey: 'zone' } }, // prettier-ignore
  'larger resources': { web: { resources: { requests: { cpu: 1, memory: '1Gi' }, limits: { memory: '2Gi' } } } },
  'names and labels': { nameOverride: 'notes', fullnameOverride: 'notes', commonLabels: { team: 'notes' }, clusterDomain: 'example.internal' }, // prettier-ignore
}

const daemonChanges: Record<string, Values> = {
  'the least': {},
  'an image by digest': { image: { digest: DIGEST, pullPolicy: 'Always' }, imagePullSecrets: ['registry'] },
  'a relay without TLS': { relay: { url: 'http://svc.example.internal:7391/t/org_aaaaaaaaaaaaaaaaaaaaaaaa', allowInsecure: true } }, // prettier-ignore
  'local alone': { relay: { url: '', existingSecret: '' }, local: { enabled: true, allowedHosts: ['notes.internal'] } },
  'relay and local': { local: { enabled: true, allowedHosts: ['notes.internal', 'notes'], ingressFrom: peers } },
  'a claim that is there': { storage: { existingClaim: 'notes' } },
  'a storage class': { storage: { size: '50Gi', storageClassName: 'fast' } },
  'further variables': { extraEnv: { HTTPS_PROXY: 'http://proxy.example.net:3128' }, logLevel: 'debug' },
  'a node of its own': { nodeSelector: scheduling.nodeSelector, tolerations: scheduling.tolerations, podAnnotations: { a: 'b' } }, // prettier-ignore
  'a narrow network': { networkPolicy: { egressTo: [{ ipBlock: { cidr: '203.0.113.0/24' } }] } },
  'no network policy': { networkPolicy: { enabled: false } },
  'names and labels': { fullnameOverride: 'notes', commonLabels: { team: 'notes' } },
}

/** Every set of values that the charts are shown with. */
export const valueSets: readonly ValueSet[] = [
  { name: 'the least', chart: 'svc-platform', values: least },
  { name: 'production', chart: 'svc-platform', values: production },
  ...Object.entries(changes).map(([name, change]) => ({ name, chart: 'svc-platform' as const, values: merged(least, change) })), // prettier-ignore
  ...Object.entries(daemonChanges).map(([name, change]) => ({ name, chart: 'svcd' as const, values: merged(leastDaemon, change) })), // prettier-ignore
]

/** Values with others laid over them, as Helm does it. */
export function merged(below: Values, above: Values): Values {
  const both = Object.entries(above).map(([name, value]) => {
    const under = below[name]
    return [name, isMap(value) && isMap(under) ? merged(under, value) : value]
  })
  return { ...below, ...(Object.fromEntries(both) as Values) }
}

function isMap(value: unknown): value is Values {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
