import { describe, expect, it } from 'vitest'
import { verifies } from '../../../test/requirements.ts'
import { daemonCommands } from './daemon-commands.ts'

const relayUrl = 'https://svc.example/t/org_aaaaaaaaaaaaaaaaaaaaaaaa'
const packed = (file: string) => ({
  file,
  url: `https://svc.example/download/${file}`,
  version: '0.1.0',
  sha256: 'a'.repeat(64),
  bytes: 1,
})
const daemon = packed('svcd-0.1.0-aaaaaaaaaaaa.tgz')
const chart = packed('svcd-chart-0.1.0-aaaaaaaaaaaa.tgz')
const names = (downloads: Parameters<typeof daemonCommands>[0]['downloads']) =>
  daemonCommands({ relayUrl, downloads }).map(({ name }) => name)

describe('the ways that are offered', () => {
  it.each([
    [{ daemon, chart, image: 'registry.example/svcd:1' }, ['npm', 'npx', 'Docker', 'Kubernetes']],
    [{ daemon, chart, image: null }, ['npm', 'npx', 'Docker']],
    [{ daemon: null, chart: null, image: null }, ['From source']],
    [{ daemon: null, chart: null, image: 'registry.example/svcd:1' }, ['From source', 'Docker']],
  ])('%# are those that this installation can serve', (downloads, expected) => {
    expect(names(downloads)).toEqual(expected)
  })
})

it('keeps every key out of every command', () => {
  verifies('web.key-file')
  for (const { id, blocks } of daemonCommands({ relayUrl, downloads: { daemon, chart, image: 'r.example/svcd:1' } })) {
    const whole = blocks.map(({ text }) => text).join('\n')
    expect(whole, id).not.toContain('SVC_RELAY_TOKEN=')
    expect(whole, id).toMatch(/SVC_RELAY_TOKEN_FILE=|existingSecret=/)
  }
})

it('installs what this control plane serves, and nothing of a stranger by its mere name', () => {
  for (const { blocks } of daemonCommands({ relayUrl, downloads: { daemon, chart, image: null } }))
    for (const { text } of blocks)
      for (const [, named] of text.matchAll(/(?:npx --yes|npm install --global|helm install svcd) (\S+)/g))
        expect([daemon.url, chart.url, `./${daemon.file}`]).toContain(named)
})

it('takes repository, tag and digest of the image apart for the chart', () => {
  const helm = (image: string) =>
    daemonCommands({ relayUrl, downloads: { daemon, chart, image } }).find(({ id }) => id === 'helm')?.blocks[2]?.text
  expect(helm('localhost:5000/svc/svcd')).toMatch(/image\.repository=localhost:5000\/svc\/svcd \\\n/)
  expect(helm('r.example/svcd:1.2')).toMatch(/image\.repository=r\.example\/svcd \\\n {2}--set image\.tag=1\.2 \\\n/)
  expect(helm(`r.example/svcd@sha256:${'b'.repeat(64)}`)).toContain(`--set image.digest=sha256:${'b'.repeat(64)}`)
})

it('lets a container reach a relay of its own machine', () => {
  const docker = (url: string) =>
    daemonCommands({ relayUrl: url, downloads: { daemon, chart, image: null } }).find(({ id }) => id === 'docker')
      ?.blocks[1]?.text
  expect(docker('http://localhost:7380/t/org_a')).toContain('--network host')
  expect(docker(relayUrl)).not.toContain('--network')
})
