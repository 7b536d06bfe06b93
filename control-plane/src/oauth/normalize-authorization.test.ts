import { expect, test } from 'vitest'
import { normalizeAuthorization } from './normalize-authorization.ts'

const base = 'https://svc.example'
const own = `${base}/mcp`
const normal = (query: string) => normalizeAuthorization(new URLSearchParams(query), base)

test.each<[string, string, string]>([
  ['no scope', '', 'read write offline_access'],
  ['read alone', 'scope=read', 'read offline_access'],
  ['blanks around', 'scope=+read++write+', 'read write offline_access'],
  ['unknown ones alone', 'scope=openid+profile', 'read write offline_access'],
  ['unknown ones too', 'scope=write+admin', 'write offline_access'],
])('scope: %s', (_sentence, query, scope) => expect(normal(query).get('scope')).toBe(scope))

test.each<[string, string, string[]]>([
  ['none', '', [own]],
  ['empty', 'resource=', [own]],
  ['a slash too many', `resource=${own}/`, [own]],
  ['the origin', `resource=${base}`, [own]],
  ['twice', `resource=${own}&resource=${own}/`, [own]],
  ['another one', 'resource=https://other.example/mcp', ['https://other.example/mcp']],
])('resource: %s', (_sentence, query, resources) => expect(normal(query).getAll('resource')).toEqual(resources))

test('hands on nothing that it does not know, and asks for consent', () => {
  const query = normal('client_id=a&prompt=none&max_age=0&request=x&request_uri=y&claims=%7B%7D&sig=z&state=s')
  expect([...query.keys()].toSorted()).toEqual(['client_id', 'prompt', 'resource', 'scope', 'state'])
  expect(query.get('prompt')).toBe('consent')
})
