import { expect, test } from 'vitest'
import { isNetworkError } from './network-error.ts'

const coded = (code: string) => Object.assign(new Error(`connect ${code} 10.0.0.5:5432`), { code, syscall: 'connect' })

test.each([
  ['a name server that does not answer', 'EAI_AGAIN'],
  ['an unknown name', 'ENOTFOUND'],
  ['a host that is down', 'EHOSTDOWN'],
  ['a host to which nothing leads', 'EHOSTUNREACH'],
  ['a network that is down', 'ENETDOWN'],
  ['a network to which nothing leads', 'ENETUNREACH'],
  ['a connection that the system gave up', 'ECONNABORTED'],
  ['a refused connection', 'ECONNREFUSED'],
  ['a connection that the other end reset', 'ECONNRESET'],
  ['a connection that the other end closed', 'EPIPE'],
  ['a host that does not answer', 'ETIMEDOUT'],
])('%s is an error of the network', (_name, code) => {
  expect(isNetworkError(coded(code))).toBe(true)
})

test.each([
  ['a missing file', coded('ENOENT')],
  ['a port that is taken', coded('EADDRINUSE')],
  ['an error without a code', new Error('ECONNREFUSED')],
  ['what is no error', { code: 'ECONNREFUSED' }],
  ['nothing', undefined],
])('%s is none', (_name, error) => {
  expect(isNetworkError(error)).toBe(false)
})
