import { readFileSync } from 'node:fs'
import { describe, expect, inject, test } from 'vitest'
import { parse, parseAllDocuments, stringify } from 'yaml'
import { ControlPlaneEnvironment } from '../../control-plane/src/config-variables.ts'
import { readConfig } from '../../control-plane/src/config.ts'
import { environmentHelp } from '../../daemon/src/config.ts'
import { readOperatorConfig } from '../../operator/src/config.ts'
import { verifies } from '../requirements.ts'
import { danglingPorts, keysOf, podsOf, secretsOf, type Container } from '../support/chart-checks.ts'
import { leastOffline, merged, production, type Values } from '../support/chart-values.ts'
import { render, type ChartObject } from '../support/helm.ts'

const crds = (name: string) => readFileSync(new URL(`../../crds/${name}`, import.meta.url), 'utf8')

const helm = inject('helm')
const rendered = new Map(Object.entries(inject('rendered')))

const each = (what: (objects: ChartObject[], name: string) => void) => {
  for (const [name, objects] of rendered) what(objects, name)
}
const find = (objects: ChartObject[], kind: string, name: string) =>
  objects.find((object) => object.kind === kind && object.metadata.name === name)!
const variables = ({ env = [] }: Container) =>
  Object.fromEntries(env.map(({ name, value }) => [name, value ?? 'x'.repeat(40)]))

// A quota refuses objects of a kind until Kubernetes counts it. Of a new custom resource that takes minutes, in which
// nobody could get a hosted daemon after the first installation.
test('the quota of daemons counts only kinds of Kubernetes itself, unless the values say otherwise', () => {
  verifies('chart.renders')
  const quota = rendered.get('svc-platform: production')!.find(({ kind }) => kind === 'ResourceQuota')
  const { hard } = quota!.spec as { hard: Record<string, string> }
  expect(hard).toHaveProperty(['count/statefulsets.apps'])
  expect(Object.keys(hard).filter((name) => /^count\/.*\..*\./.test(name))).toEqual([])
})

test('the dashboards have exactly the labels of the values', async () => {
  verifies('chart.renders')
  const labelsOf = async (labels: Values) => {
    const values = merged(leastOffline, { monitoring: { dashboards: { enabled: true, labels } } })
    return (await render({ helm, chart: 'svc-platform', values })).find(
      ({ kind, metadata }) => kind === 'ConfigMap' && metadata.name.endsWith('-dashboard-operator'),
    )!.metadata.labels
  }
  expect(await labelsOf({})).toMatchObject({ grafana_dashboard: '1' })
  const own = await labelsOf({ dashboards: 'yes' })
  expect(own).toMatchObject({ dashboards: 'yes' })
  expect(own).not.toHaveProperty('grafana_dashboard')
})

describe('every set of values', () => {
  test('renders to objects with names and labels of their own', () => {
    verifies('chart.renders')
    expect(rendered.size).toBeGreaterThanOrEqual(40)
    each((objects, name) => {
      const names = objects.map(({ kind, metadata }) => `${kind} ${metadata.namespace ?? ''}/${metadata.name}`)
      expect(
        names.filter((one, index) => names.indexOf(one) !== index),
        name,
      ).toEqual([])
      for (const { kind, metadata } of objects) {
        expect(metadata.labels, `${name}: ${kind} ${metadata.name}`).toHaveProperty(['app.kubernetes.io/managed-by'])
        expect(metadata.name.length, `${name}: ${kind} ${metadata.name}`).toBeLessThanOrEqual(
          kind.startsWith('Validating') ? 253 : 63,
        )
      }
    })
  })

  test('makes pods that are restricted, with a read-only root and no token they do not need', () => {
    verifies('chart.restricted')
    each((objects, name) => {
      const hosts = objects.some(({ kind, metadata }) => kind === 'Deployment' && metadata.name.endsWith('-operator'))
      for (const { of, labels, pod } of podsOf(objects)) {
        const where = `${name}: ${of.kind} ${of.metadata.name}`
        const component = labels['app.kubernetes.io/component'] ?? ''
        expect(pod.securityContext, where).toMatchObject({
          runAsNonRoot: true,
          seccompProfile: { type: 'RuntimeDefault' },
        })
        expect(pod.automountServiceAccountToken, where).toBe(
          hosts && ['web', 'worker', 'agents', 'operator', 'test'].includes(component),
        )
        for (const container of pod.containers)
          expect(container.securityContext, where).toEqual({
            allowPrivilegeEscalation: false,
            readOnlyRootFilesystem: true,
            capabilities: { drop: ['ALL'] },
          })
      }
    })
  })

  test('names images, Secret keys, volumes and ports that exist', () => {
    verifies('chart.references')
    each((objects, name) => {
      expect(danglingPorts(objects), name).toEqual([])
      const own = new Map(
        objects
          .filter(({ kind }) => /^(Secret|ConfigMap)$/.test(kind))
          .map((object) => [`${object.kind}/${object.metadata.name}`, keysOf(object)]),
      )
      for (const { of, pod, claims } of podsOf(objects)) {
        const where = `${name}: ${of.kind} ${of.metadata.name}`
        for (const { name: secret, key } of secretsOf(pod)) {
          const keys = own.get(`Secret/${secret}`)
          if (keys === undefined)
            expect(secret, `${where}: a Secret that nobody makes`).not.toMatch(/^svc-svc-platform|^notes-/)
          else if (key !== undefined) expect(keys, `${where}: ${secret}`).toContain(key)
        }
        for (const { configMap } of pod.volumes ?? [])
          if (configMap !== undefined && configMap.name !== 'ca')
            expect([...own.keys()], where).toContain(`ConfigMap/${configMap.name}`)
        const volumes = new Set([...(pod.volumes ?? []).map((volume) => volume.name), ...claims])
        for (const { image, volumeMounts = [] } of pod.containers) {
          expect(image, where).toMatch(/^[a-z0-9.]+(:\d+)?(\/[a-z0-9-]+)+(:[\w.-]+|@sha256:[0-9a-f]{64})$/)
          expect(image, where).not.toMatch(/:latest$/)
          expect(
            volumeMounts.map((mount) => mount.name).filter((mount) => !volumes.has(mount)),
            where,
          ).toEqual([])
        }
      }
    })
  })

  test('sets variables that the processes know, each once, and that they start with', () => {
    verifies('chart.variables')
    const daemonKnows = environmentHelp()
    each((objects, name) => {
      for (const { of, pod } of podsOf(objects))
        for (const container of pod.containers) {
          const where = `${name}: ${of.kind} ${of.metadata.name}`
          const names = (container.env ?? []).map((variable) => variable.name)
          expect(
            names.filter((one, index) => names.indexOf(one) !== index),
            where,
          ).toEqual([])
          if (container.name === 'operator') expect(() => readOperatorConfig(variables(container)), where).not.toThrow()
          if (container.name === 'control-plane' || container.name === 'migrate') {
            const known = new Set([
              ...Object.keys(ControlPlaneEnvironment.shape),
              'POD_IP',
              'NODE_OPTIONS',
              'NODE_EXTRA_CA_CERTS',
            ])
            expect(
              names.filter((one) => !known.has(one)),
              where,
            ).toEqual([])
            const environment: Record<string, string> = {
              ...variables(container),
              INTERNAL_URL: 'http://10.0.0.1:7392',
            }
            const operatorOrg = environment.OPERATOR_ORG?.startsWith('org_')
              ? {}
              : { OPERATOR_ORG: 'org_aaaaaaaaaaaaaaaaaaaaaaaa' }
            expect(() => readConfig({ ...environment, ...operatorOrg }), where).not.toThrow()
          }
          if (container.name === 'svcd')
            expect(
              names.filter((one) => !daemonKnows.includes(`  ${one} `)),
              where,
            ).toEqual([])
        }
    })
  })

  // Kubernetes replaces no pod of a StatefulSet with OrderedReady that is not ready.
  test('makes StatefulSets whose pods are replaced by corrected ones, ready or not', () => {
    const found = [...rendered.values()].flat().filter(({ kind }) => kind === 'StatefulSet')
    const names = ['svc-svc-platform-trial-postgres', 'svc-svc-platform-trial-valkey', 'svc-svcd']
    expect(found.map(({ metadata }) => metadata.name)).toEqual(expect.arrayContaining(names))
    for (const { metadata, spec } of found)
      expect(spec, metadata.name).toMatchObject({ replicas: 1, podManagementPolicy: 'Parallel' })
  })

  test('holds no secret outside of Secrets', () => {
    verifies('chart.secrets')
    each((objects, name) => {
      const secrets = objects
        .filter(({ kind }) => kind === 'Secret')
        .flatMap((object) =>
          Object.values({ ...(object.data as object | undefined), ...(object.stringData as object | undefined) }),
        )
        .filter((text): text is string => typeof text === 'string' && text.length > 8)
      const others = JSON.stringify(objects.filter(({ kind }) => kind !== 'Secret'))
      for (const secret of secrets) {
        expect(others.includes(secret), name).toBe(false)
        expect(others.includes(Buffer.from(secret, 'base64').toString()), name).toBe(false)
      }
    })
  })
})

describe('svc-platform', () => {
  const of = (name: string) => rendered.get(`svc-platform: ${name}`)!

  test('grants the rights of crds/roles.yaml, and carries the policies and the definition as they are', () => {
    verifies('chart.rights')
    const objects = of('the least')
    const roles = parseAllDocuments(crds('roles.yaml')).map((document) => document.toJS() as ChartObject)
    const granted = objects.filter(({ kind }) => kind === 'Role')
    expect(granted.map(({ metadata, rules }) => ({ namespace: metadata.namespace, rules }))).toEqual(
      roles.map(({ metadata, rules }) => ({ namespace: metadata.namespace, rules })),
    )
    expect(objects.filter(({ kind }) => kind === 'ClusterRole' || kind === 'ClusterRoleBinding')).toEqual([])
    const policies = parseAllDocuments(crds('policies.yaml')).map((document) => document.toJS() as ChartObject)
    const carried = objects.filter(({ kind }) => kind === 'ValidatingAdmissionPolicy')
    expect(carried.map(({ spec }) => spec)).toEqual(policies.map(({ spec }) => spec))
    const definition = find(objects, 'CustomResourceDefinition', 'manageddaemons.svcd.dev')
    expect(definition.spec).toEqual((parse(crds('managed-daemon.yaml')) as ChartObject).spec)
    expect(definition.metadata.annotations).toEqual({ 'helm.sh/resource-policy': 'keep' })
  })

  test('keeps what people would lose: the namespace of daemons, keys and their passwords', () => {
    verifies('chart.keeps')
    const kept = of('a trial').filter(({ metadata }) => metadata.annotations?.['helm.sh/resource-policy'] === 'keep')
    expect(kept.map(({ kind, metadata }) => `${kind} ${metadata.name}`).toSorted()).toEqual([
      'CustomResourceDefinition manageddaemons.svcd.dev',
      'Namespace svc-daemons',
      'Secret svc-svc-platform-generated',
      'Secret svc-svc-platform-trial-postgres',
      'Secret svc-svc-platform-trial-valkey',
    ])
  })

  test('makes an operator organization by the form of its ids, and a key that is long enough', () => {
    const { data } = find(of('the least'), 'Secret', 'svc-svc-platform-generated') as unknown as {
      data: Record<string, string>
    }
    expect(Buffer.from(data['operator-org']!, 'base64').toString()).toMatch(/^org_[a-z2-7]{24}$/)
    expect(Buffer.from(data['auth-secret']!, 'base64').toString()).toMatch(/^[A-Za-z0-9]{48}$/)
  })

  test('gives every process both secrets while the secret changes, and one otherwise', () => {
    verifies('chart.auth-secret-change')
    const secretsIn = (name: string) =>
      podsOf(of(name)).flatMap(({ labels, pod }) =>
        pod.containers
          .filter((container) => container.name === 'control-plane')
          .map(({ env = [] }) => [
            labels['app.kubernetes.io/component'],
            ...env.flatMap(({ name, valueFrom }) =>
              name.startsWith('AUTH_SECRET') ? [name, valueFrom?.secretKeyRef] : [],
            ),
          ]),
      )
    const both = [
      'AUTH_SECRET',
      { name: 'svc-auth', key: 'auth-secret-2' },
      'AUTH_SECRET_PREVIOUS',
      { name: 'svc-auth', key: 'auth-secret' },
    ]
    expect(secretsIn('a secret that changes').toSorted()).toEqual([
      ['agents', ...both],
      ['web', ...both],
      ['worker', ...both],
    ])
    expect(secretsIn('the least')).toEqual([
      ['web', 'AUTH_SECRET', { name: 'svc-svc-platform-generated', key: 'auth-secret' }],
    ])
  })

  test('migrates by a job of a new name whenever the image changes', async () => {
    const jobOf = async (tag: string) => {
      const values = merged(leastOffline, { controlPlane: { image: { tag } } })
      return (await render({ helm, chart: 'svc-platform', values })).find(({ kind }) => kind === 'Job')!.metadata.name
    }
    expect(await jobOf('1.0.0')).toBe(await jobOf('1.0.0'))
    expect(await jobOf('1.0.0')).not.toBe(await jobOf('1.0.1'))
  })

  test('leaves replicas to the autoscaler, and is replaced rather than rolled without Redis', () => {
    const deployment = (name: string) =>
      find(of(name), 'Deployment', 'svc-svc-platform-web').spec as { replicas?: number; strategy: { type: string } }
    expect(deployment('autoscaling').replicas).toBeUndefined()
    expect(deployment('several replicas').strategy.type).toBe('RollingUpdate')
    expect(deployment('the least').strategy.type).toBe('Recreate')
  })

  test('sends what daemons dial to its own port, and gives WebSockets an hour of quiet', () => {
    const paths = (name: string, ingress: string) =>
      JSON.stringify(find(of(name), 'Ingress', `svc-svc-platform-${ingress}`)?.spec)
    expect(paths('an ingress', 'web')).toMatch(/"path":"\/t\/".*"dial-in".*"path":"\/".*"api"/)
    expect(paths('an ingress', 'vaults')).toMatch(/"\*\.vaults\.example\.org".*"gateway"/)
    expect(paths('a relay of its own', 'web')).not.toContain('/t/')
    expect(paths('a relay of its own', 'relay')).toMatch(/"relay\.example\.net".*"\/t\/".*"dial-in"/)
    const annotations = find(of('an ingress'), 'Ingress', 'svc-svc-platform-vaults').metadata.annotations
    expect(annotations).toMatchObject({ 'nginx.ingress.kubernetes.io/proxy-read-timeout': '3600' })
    expect(find(of('an ingress of another class'), 'Ingress', 'svc-svc-platform-web').metadata.annotations).toEqual({
      'example.net/a': 'b',
    })
  })

  test('the objects of a production installation have not changed', async () => {
    const objects = (await render({ helm, chart: 'svc-platform', values: production })).filter(
      ({ kind }) => !/^(CustomResourceDefinition|ValidatingAdmissionPolicy|ConfigMap|PrometheusRule)$/.test(kind),
    )
    await expect(stringify(objects)).toMatchFileSnapshot('production.snapshot')
  })
})
