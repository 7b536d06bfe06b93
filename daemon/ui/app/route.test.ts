import { describe, expect, it } from 'vitest'
import { formatRoute, parseRoute, type Route } from './route.ts'

const read = (address: string) => parseRoute(new URL(address, 'http://localhost'))

describe('routes', () => {
  it.each<[string, Route]>([
    ['/', {}],
    ['/elsewhere/x', {}],
    ['/v/demo', { vaultId: 'demo' }],
    ['/v/demo/Getting%20started/A%231.md', { vaultId: 'demo', path: 'Getting started/A#1.md' }],
    ['/v/demo/a.md#One%20%26%20two', { vaultId: 'demo', path: 'a.md', heading: 'One & two' }],
    ['/v/demo?view=deleted', { vaultId: 'demo', view: 'deleted' }],
    ['/v/demo/a.md?view=history', { vaultId: 'demo', path: 'a.md', view: 'history' }],
    ['/v/demo?view=graph', { vaultId: 'demo', view: 'graph' }],
    ['/v/demo/a.md?view=graph', { vaultId: 'demo', path: 'a.md', view: 'graph' }],
    ['/v/demo?view=tags', { vaultId: 'demo', view: 'tags' }],
    ['/v/demo/a.md?line=12', { vaultId: 'demo', path: 'a.md', line: 12 }],
    ['/v/demo/caf%C3%A9/%E6%97%A5.md?line=2#x', { vaultId: 'demo', path: 'café/日.md', line: 2, heading: 'x' }],
  ])('reads and writes %s', (address, route) => {
    expect(read(address)).toEqual(route)
    if (route.vaultId !== undefined) expect(formatRoute(route)).toBe(address)
  })

  it('survives a stray percent sign', () => {
    expect(read('/v/demo/100%.md')).toEqual({ vaultId: 'demo', path: '100%.md' })
  })

  it('ignores a line that is not one', () => {
    expect(read('/v/demo/a.md?line=-3')).toEqual({ vaultId: 'demo', path: 'a.md' })
  })
})
