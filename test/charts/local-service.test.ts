import { expect, inject, test } from 'vitest'
import { verifies } from '../requirements.ts'

const rendered = inject('rendered')
const servicesOf = (values: string) => (rendered[`svcd: ${values}`] ?? []).filter(({ kind }) => kind === 'Service')

// The API refuses to change the address of a Service, so an upgrade must leave the one of the StatefulSet alone.
test('local use of a daemon adds a Service, and leaves the headless one as it is', () => {
  verifies('chart.renders')
  const [headless, ...others] = servicesOf('a claim that is there')
  expect(others).toEqual([])
  expect(headless?.spec).toMatchObject({ clusterIP: 'None' })
  for (const values of ['local alone', 'relay and local']) {
    const services = servicesOf(values)
    expect(services).toContainEqual(headless)
    const added = services.filter(({ metadata }) => metadata.name === `${headless?.metadata.name}-http`)
    expect(added.map(({ spec }) => spec)).toEqual([
      expect.objectContaining({ ports: [{ name: 'http', port: 80, targetPort: 'http' }] }),
    ])
    expect(added[0]?.spec).not.toHaveProperty('clusterIP')
    expect(services).toHaveLength(2)
  }
})
