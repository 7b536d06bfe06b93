import { expect, inject, test } from 'vitest'
import { verifies } from '../requirements.ts'
import { podsOf } from '../support/chart-checks.ts'

const rendered = inject('rendered')
const processes = ['control-plane', 'migrate', 'roles']
const file = '/var/run/svc/ca/ca.crt'

test('every process of the control plane trusts the authorities of the ConfigMap, the migration too', () => {
  verifies('chart.authorities')
  const found = new Set<string>()
  for (const name of ['authorities of the owner', 'a trial with authorities'])
    for (const { of, labels, pod } of podsOf(rendered[`svc-platform: ${name}`]!))
      for (const container of pod.containers.filter((each) => processes.includes(each.name))) {
        const where = `${name}: ${of.kind} ${of.metadata.name}: ${container.name}`
        found.add(`${labels['app.kubernetes.io/component']} ${container.name}`)
        expect(container.env, where).toContainEqual({ name: 'NODE_EXTRA_CA_CERTS', value: file })
        expect(container.volumeMounts, where).toContainEqual({
          name: 'ca',
          mountPath: '/var/run/svc/ca',
          readOnly: true,
        })
        expect(pod.volumes, where).toContainEqual({ name: 'ca', configMap: { name: 'ca' } })
      }
  expect([...found].toSorted()).toEqual([
    'agents control-plane',
    'migrate migrate',
    'migrate roles',
    'web control-plane',
    'worker control-plane',
  ])
})

test('without it they trust what Node trusts', () => {
  verifies('chart.authorities')
  const pods = podsOf(rendered['svc-platform: the least']!)
  const names = pods.flatMap(({ pod }) => pod.containers.flatMap(({ env = [] }) => env.map(({ name }) => name)))
  expect(names).not.toContain('NODE_EXTRA_CA_CERTS')
})
