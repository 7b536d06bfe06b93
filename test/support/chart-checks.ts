import type { ChartObject } from './helm.ts'

type KeyRef = { name: string; key: string }
type Variable = { name: string; value?: string; valueFrom?: { secretKeyRef?: KeyRef } }
type Mount = { name: string; mountPath: string }
export type Container = {
  name: string
  image: string
  env?: Variable[]
  ports?: { name: string; containerPort: number }[]
  volumeMounts?: Mount[]
  resources?: object
  securityContext?: object
}
export type Pod = {
  containers: Container[]
  securityContext?: object
  volumes?: { name: string; secret?: { secretName: string; items?: { key: string }[] }; configMap?: { name: string } }[]
  automountServiceAccountToken?: boolean
  serviceAccountName?: string
}
type Template = { metadata: { labels: Record<string, string> }; spec: Pod & { initContainers?: Container[] } }
type WithTemplate = { template?: Template; volumeClaimTemplates?: { metadata: { name: string } }[] }

/** Every pod that an object of a chart creates, with its labels; init containers count as containers. */
export function podsOf(
  objects: ChartObject[],
): { of: ChartObject; labels: Record<string, string>; pod: Pod; claims: string[] }[] {
  return objects.flatMap((of) => {
    if (of.kind === 'Pod') return [{ of, labels: of.metadata.labels ?? {}, pod: of.spec as Pod, claims: [] }]
    const { template, volumeClaimTemplates = [] } = (of.spec ?? {}) as WithTemplate
    if (template === undefined) return []
    const claims = volumeClaimTemplates.map(({ metadata }) => metadata.name)
    const { initContainers = [], ...pod } = template.spec
    const containers = [...initContainers, ...pod.containers]
    return [{ of, labels: template.metadata.labels, pod: { ...pod, containers }, claims }]
  })
}

/** Every Secret key that a pod reads, by name and key; without a key where a whole Secret is mounted. */
export function secretsOf(pod: Pod): { name: string; key?: string }[] {
  const variables = pod.containers.flatMap(({ env = [] }) =>
    env.flatMap(({ valueFrom }) => valueFrom?.secretKeyRef ?? []),
  )
  const mounts = (pod.volumes ?? []).flatMap(({ secret }) =>
    secret === undefined
      ? []
      : (secret.items ?? [{ key: undefined }]).map(({ key }) => ({ name: secret.secretName, key })),
  )
  return [...variables, ...mounts]
}

/** Names of the keys in a Secret or ConfigMap of the chart. */
export const keysOf = (object: ChartObject): string[] =>
  Object.keys({ ...(object.data as object | undefined), ...(object.stringData as object | undefined) })

/** References of a Service, Ingress, route or policy to something that the chart does not contain. */
export function danglingPorts(objects: ChartObject[]): string[] {
  const pods = podsOf(objects)
  const services = objects.filter(({ kind }) => kind === 'Service')
  const selected = (selector: Record<string, string>) =>
    pods.filter(({ labels }) => Object.entries(selector).every(([key, value]) => labels[key] === value))

  const ofServices = services.flatMap(({ metadata, spec }) => {
    const { selector, ports } = spec as { selector: Record<string, string>; ports: { targetPort: string }[] }
    const offered = new Set(
      selected(selector).flatMap(({ pod }) =>
        pod.containers.flatMap((each) => each.ports ?? []).map(({ name }) => name),
      ),
    )
    return ports
      .filter(({ targetPort }) => !offered.has(targetPort))
      .map(({ targetPort }) => `Service ${metadata.name} → ${targetPort}`)
  })
  const portsOf = (name: string) => {
    const service = services.find(({ metadata }) => metadata.name === name)
    const { ports = [] } = (service?.spec ?? {}) as { ports?: { name: string; port: number }[] }
    return new Set<string | number>(ports.flatMap((port) => [port.name, port.port]))
  }
  type Backend = { service: { name: string; port: { name: string } } }
  type Rules = { rules: { http: { paths: { backend: Backend }[] } }[] }
  const ofIngresses = objects
    .filter(({ kind }) => kind === 'Ingress')
    .flatMap(({ metadata, spec }) =>
      (spec as Rules).rules
        .flatMap(({ http }) => http.paths.map(({ backend }) => backend.service))
        .filter(({ name, port }) => !portsOf(name).has(port.name))
        .map(({ name, port }) => `Ingress ${metadata.name} → ${name}:${port.name}`),
    )
  type Routes = { rules: { backendRefs: { name: string; port: number }[] }[] }
  const ofRoutes = objects
    .filter(({ kind }) => kind === 'HTTPRoute')
    .flatMap(({ metadata, spec }) =>
      (spec as Routes).rules
        .flatMap(({ backendRefs }) => backendRefs)
        .filter(({ name, port }) => !portsOf(name).has(port))
        .map(({ name, port }) => `HTTPRoute ${metadata.name} → ${name}:${port}`),
    )
  type Policy = {
    podSelector: { matchLabels?: Record<string, string> }
    ingress?: { ports?: { port: string | number }[] }[]
  }
  const ofPolicies = objects
    .filter(({ kind, metadata }) => kind === 'NetworkPolicy' && !metadata.name.endsWith('-default-deny'))
    .flatMap(({ metadata, spec }) => {
      const { podSelector, ingress = [] } = spec as Policy
      const names = new Set<string | number>(
        selected(podSelector.matchLabels ?? {}).flatMap(({ pod }) =>
          pod.containers.flatMap((each) => each.ports ?? []).map(({ name }) => name),
        ),
      )
      return ingress
        .flatMap(({ ports = [] }) => ports)
        .filter(({ port }) => !names.has(port))
        .map(({ port }) => `NetworkPolicy ${metadata.name} → ${port}`)
    })
  return [...ofServices, ...ofIngresses, ...ofRoutes, ...ofPolicies]
}
