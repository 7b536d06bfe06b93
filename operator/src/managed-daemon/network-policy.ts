/** Where pods may connect to and who may connect to them; the operator's configuration, never the resource's. */
export type Reach = {
  /** The operator's own pods. */
  operator: Peer
  /** Its port is that of the pods, which a Service may hide. Default: 53. */
  dns: Peer & { port?: number | undefined }
  relay: Peer & { port: number }
}

/** Pods by namespace and label, or addresses. */
export type Peer = { namespace: string; labels: Record<string, string> } | { cidr: string }

type Options = { podLabels: Record<string, string>; probePort: number; reach: Reach }

const DNS_PORT = 53

/** Default deny; in: the operator to the status listener; out: DNS and the relay. */
export function networkPolicy({ podLabels, probePort, reach }: Options) {
  const dnsPort = reach.dns.port ?? DNS_PORT
  return {
    podSelector: { matchLabels: podLabels },
    policyTypes: ['Ingress', 'Egress'],
    ingress: [{ from: [peer(reach.operator)], ports: [{ protocol: 'TCP', port: probePort }] }],
    egress: [
      {
        to: [peer(reach.dns)],
        ports: [
          { protocol: 'UDP', port: dnsPort },
          { protocol: 'TCP', port: dnsPort },
        ],
      },
      { to: [peer(reach.relay)], ports: [{ protocol: 'TCP', port: reach.relay.port }] },
    ],
  }
}

// Select by both namespace and pod: either alone would admit all pods of the other.
const peer = (target: Peer) =>
  'cidr' in target
    ? { ipBlock: { cidr: target.cidr } }
    : {
        namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': target.namespace } },
        podSelector: { matchLabels: target.labels },
      }
