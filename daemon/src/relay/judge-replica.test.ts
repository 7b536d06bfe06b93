import { expect, test } from 'vitest'
import { judgeReplica } from './judge-replica.ts'

const hello = { replicaId: 'a', replicas: 2, tunnels: 2 }
const first = { hello, others: [], avoided: undefined, spreadTries: 0 }

test.each([
  ['the first tunnel is taken', first, 'take'],
  ['one beside a tunnel to another replica is taken', { ...first, others: ['b'] }, 'take'],
  ['one to the same replica is spread', { ...first, others: ['a'] }, 'spread'],
  ['one to a replica that sent it away is spread', { ...first, avoided: 'a' }, 'spread'],
  ['one to the only replica is taken', { ...first, hello: { ...hello, replicas: 1 }, others: ['a'] }, 'take'],
  ['one that was spread often enough is taken', { ...first, others: ['a'], spreadTries: 6 }, 'take'],
  ['one more than the relay wants ends', { ...first, hello: { ...hello, tunnels: 1 }, others: ['b'] }, 'end'],
  ['the only one stays', { ...first, hello: { ...hello, tunnels: 1 } }, 'take'],
] as const)('%s', (_name, judged, verdict) => {
  expect(judgeReplica(judged)).toBe(verdict)
})
