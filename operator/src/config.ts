import { hostname } from 'node:os'
import { z } from 'zod'
import { ConfigurationError } from '@svc/shared/kit/configuration-error.ts'
import { describeEnvironment, flag, integer, port, readEnvironment } from '@svc/shared/kit/env.ts'

const NAMESPACE = z.string().regex(/^[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?$/, 'must be the name of a namespace')
const Labels = z.record(z.string(), z.string())
const Cidr = z.union([z.cidrv4(), z.cidrv6()])
const Peer = z.union([z.strictObject({ namespace: NAMESPACE, labels: Labels }), z.strictObject({ cidr: Cidr })])
/** Pods or addresses as above, at a port. */
const PeerAt = <Port extends z.ZodType>(port: Port) =>
  z.union([z.strictObject({ namespace: NAMESPACE, labels: Labels, port }), z.strictObject({ cidr: Cidr, port })])
const RelayPeer = PeerAt(integer(1, 65_535))
const DnsPeer = PeerAt(integer(1, 65_535).optional())

/** A variable that holds JSON of a given shape. */
const json = <T extends z.ZodType>(shape: T, text: z.ZodType<string, string | undefined> = z.string()) =>
  text
    .transform((text, context): unknown => {
      try {
        return JSON.parse(text)
      } catch {
        context.addIssue({ code: 'custom', message: 'must be JSON' })
        return z.NEVER
      }
    })
    .pipe(shape)

const KUBE_DNS = '{"namespace":"kube-system","labels":{"k8s-app":"kube-dns"}}'

const Environment = z.object({
  KUBECONFIG: z.string().optional().describe('Kubeconfig file. Without it: the service account of the pod.'),
  DAEMON_NAMESPACE: NAMESPACE.default('svc-daemons').describe('Namespace of the resources and of all daemons.'),
  SYSTEM_NAMESPACE: NAMESPACE.default('svc-system').describe('Namespace of the operator itself and of its Lease.'),
  IMAGE_REPOSITORY: z.string().min(1).describe('The one repository that daemons run from: host[:port]/repository.'),
  IMAGE_DIGESTS: z
    .enum(['required', 'preferred'])
    .default('required')
    .describe('Whether images must be named by digest. preferred: an exact tag is accepted too.'),
  RELAY_EGRESS: json(RelayPeer).describe(
    'Where daemons reach the relay, JSON: {"namespace","labels","port"} or {"cidr","port"}.',
  ),
  DNS_EGRESS: json(DnsPeer, z.string().default(KUBE_DNS)).describe(
    'Where daemons resolve names, JSON: {"namespace","labels"} or {"cidr"}; "port", if it is not 53.',
  ),
  OPERATOR_INGRESS: json(Peer)
    .optional()
    .describe('Who may call the status listener of daemons, JSON as above. Default: the operator, by its labels.'),
  ALLOW_INSECURE_RELAY: flag(false).describe('Daemons may reach the relay without TLS inside the cluster.'),
  IMAGE_PULL_SECRETS: z
    .string()
    .default('')
    .describe('Names of pull secrets in the namespace of daemons, separated by commas.'),
  NODE_SELECTOR: json(Labels, z.string().default('{}')).describe('Labels of the nodes that daemons run on, JSON.'),
  DAEMON_CPU_REQUEST_PERCENT: integer(1, 100)
    .default(5)
    .describe('Percentage of a daemon’s CPU limit that its pod reserves on a node.'),
  PROBE_PORT: integer(1024, 65_535).default(7383).describe("Port of a daemon's status listener."),
  HOST: z.string().default('0.0.0.0').describe('Address of health, readiness and metrics.'),
  PORT: port().default(7390).describe('Port of health, readiness and metrics.'),
  LEASE_NAME: z.string().default('svc-operator').describe('Lease that the leading operator holds.'),
  POD_NAME: z.string().optional().describe('Name of this pod, for the Lease. Default: the host name.'),
  WORKERS: integer(1, 64).default(8).describe('Daemons that are reconciled at a time.'),
  START_DEADLINE_SECONDS: integer(10, 3_600)
    .default(300)
    .describe('Seconds in which a new image must be ready and connected; otherwise the previous image serves again.'),
  LOG_LEVEL: z
    .enum(['trace', 'debug', 'info', 'warn', 'error', 'silent'])
    .default('info')
    .describe('Lowest level that is logged.'),
})

/** The configuration of the operator. */
export type OperatorConfig = ReturnType<typeof readOperatorConfig>

/** Reads the environment; throws a ConfigurationError that names every problem. */
export function readOperatorConfig(env: Record<string, string | undefined> = process.env) {
  const values = readEnvironment(Environment, env)
  if (values.DAEMON_NAMESPACE === values.SYSTEM_NAMESPACE)
    throw new ConfigurationError([
      { path: 'DAEMON_NAMESPACE', message: 'must differ from SYSTEM_NAMESPACE: daemons and platform are kept apart' },
    ])
  const operator = { namespace: values.SYSTEM_NAMESPACE, labels: { 'app.kubernetes.io/name': 'svc-operator' } }
  return Object.freeze({
    kubeconfig: values.KUBECONFIG,
    daemonNamespace: values.DAEMON_NAMESPACE,
    systemNamespace: values.SYSTEM_NAMESPACE,
    images: { repository: values.IMAGE_REPOSITORY, digests: values.IMAGE_DIGESTS },
    children: {
      probePort: values.PROBE_PORT,
      insecureRelay: values.ALLOW_INSECURE_RELAY ? ('allowed' as const) : ('refused' as const),
      imagePullSecrets: values.IMAGE_PULL_SECRETS.split(',').filter((name) => name !== ''),
      nodeSelector: values.NODE_SELECTOR,
      cpuRequestPercent: values.DAEMON_CPU_REQUEST_PERCENT,
      reach: { operator: values.OPERATOR_INGRESS ?? operator, dns: values.DNS_EGRESS, relay: values.RELAY_EGRESS },
    },
    listen: { host: values.HOST, port: values.PORT },
    lease: { name: values.LEASE_NAME, identity: values.POD_NAME ?? hostname() },
    workers: values.WORKERS,
    startDeadlineMs: values.START_DEADLINE_SECONDS * 1_000,
    logLevel: values.LOG_LEVEL,
  })
}

/** Text of `--help`. */
export const help = () => `svc-operator drives each ManagedDaemon of a namespace to its desired state.

Environment
${describeEnvironment(Environment)}

Listens for GET /health, /ready and /metrics. Ends with 0 when stopped, 78 on configuration it cannot use, 1 else.
Start it by node --max-semi-space-size=4: garbage is then collected sooner, which saves more than 100 MB and costs nothing.`
