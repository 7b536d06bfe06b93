import { expect, test } from 'vitest'
import { isLostConnection } from './lost-connection.ts'

const coded = (code: string, message: string, more: object = {}) => Object.assign(new Error(message), { code, ...more })
const connecting = { syscall: 'connect' }

test.each([
  ['a host to which nothing leads', coded('EHOSTUNREACH', 'connect EHOSTUNREACH 10.0.0.5:5432', connecting)],
  ['a network to which nothing leads', coded('ENETUNREACH', 'connect ENETUNREACH 10.0.0.5:5432', connecting)],
  ['a host that vanished while it was read from', coded('EHOSTUNREACH', 'read EHOSTUNREACH', { syscall: 'read' })],
  ['a refused connection', coded('ECONNREFUSED', 'connect ECONNREFUSED 10.0.0.5:5432', connecting)],
  ['a missing socket', coded('ENOENT', 'connect ENOENT /run/.s.PGSQL.5432', connecting)],
  ['a server that stops', coded('57P01', 'terminating connection due to administrator command')],
  ['a server without room', coded('53300', 'sorry, too many clients already')],
  ['a write on a standby', coded('25006', 'cannot execute INSERT in a read-only transaction')],
  ['a connection that ended', new Error('Connection terminated unexpectedly')],
  ['a pool without a free connection', new Error('timeout exceeded when trying to connect')],
])('%s means that the database is away', (_name, error) => {
  expect(isLostConnection(error)).toBe(true)
})

test.each([
  ['a missing file', coded('ENOENT', 'open /etc/key', { syscall: 'open' })],
  ['a constraint', coded('23505', 'duplicate key value violates unique constraint')],
  ['a bug', new TypeError('x is not a function')],
  ['what is no error', 'Connection terminated'],
])('%s does not', (_name, error) => {
  expect(isLostConnection(error)).toBe(false)
})
