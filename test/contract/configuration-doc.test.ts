import { fileURLToPath } from 'node:url'
import { format, resolveConfig } from 'prettier'
import { expect, test } from 'vitest'
import { describeConfig } from '../../control-plane/src/config.ts'
import { environmentHelp } from '../../daemon/src/config.ts'
import { help as embeddedHelp } from '../../embedded/config.ts'
import { help as operatorHelp } from '../../operator/src/config.ts'

const page = fileURLToPath(new URL('../../docs/CONFIGURATION.md', import.meta.url))

const processes = [
  { title: 'Control plane', command: 'node control-plane/src/main.ts', help: describeConfig() },
  { title: 'Daemon', command: 'svcd', help: environmentHelp() },
  { title: 'Operator', command: 'node --max-semi-space-size=4 operator/src/main.ts', help: operatorHelp() },
  { title: 'Embedded platform', command: 'npm start', help: embeddedHelp() },
]

const escape = (text: string) => text.replaceAll('|', '\\|').replaceAll('<', '&lt;')

/** The variables in a help text, as a Markdown table. */
function table(help: string): string {
  const rows = [...help.matchAll(/^ {2}([A-Z][A-Z0-9_]+) {2,}(.+)$/gm)].map(([, name, text = '']) => {
    const [, meaning = text, initial = ''] = /^(.*) \(default (.*)\)$/.exec(text) ?? []
    const shown = initial === '' || initial === '[]' ? '' : `\`${initial}\``
    return `| \`${name}\` | ${shown} | ${escape(meaning)} |`
  })
  return ['| Variable | Default | Meaning |', '| --- | --- | --- |', ...rows].join('\n')
}

test('docs/CONFIGURATION.md lists every variable as the processes themselves explain them', async () => {
  const sections = processes.map(({ title, command, help }) => `## ${title}\n\n\`${command}\`\n\n${table(help)}\n`)
  const text = [
    '# Configuration',
    'Every process reads its configuration from environment variables, once at start. An empty variable counts as unset. If the configuration has problems, the process reports all of them and ends with exit code 78. `--help` of each command prints the same texts. To regenerate this page, run `npx --no vitest run test/contract/configuration-doc.test.ts -u`.',
    ...sections,
  ].join('\n\n')
  const formatted = await format(text, { ...(await resolveConfig(page)), parser: 'markdown' })
  await expect(formatted).toMatchFileSnapshot(page)
})
