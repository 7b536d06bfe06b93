import { expect, it } from 'vitest'
import { proxyFor } from './proxy-for.ts'

const proxy = 'http://proxy.example:3128'

it.each<[string, string, string | undefined]>([
  ['https://svc.example.net/t/org_x', '', proxy],
  ['http://localhost:7380/t/org_x', '', undefined],
  ['https://svc.example.net/t/org_x', 'svc.example.net', undefined],
  ['https://svc.example.net/t/org_x', 'other, .example.net', undefined],
  ['https://svc.example.net/t/org_x', '*.example.net', undefined],
  ['https://svc.example.net/t/org_x', '*', undefined],
  ['https://svc.example.net/t/org_x', 'ample.net', proxy],
  ['https://svc.example.net/t/org_x', 'svc.example.net:8443', proxy],
  ['https://svc.example.net:8443/t/org_x', 'svc.example.net:8443', undefined],
])('reaches %s with NO_PROXY %j through %s', (url, noProxy, expected) => {
  expect(proxyFor({ url, proxy, noProxy })).toBe(expected)
})

it('uses none where none is set', () => {
  expect(proxyFor({ url: 'https://svc.example.net', proxy: undefined, noProxy: undefined })).toBeUndefined()
})
