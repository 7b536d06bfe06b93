import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseSync } from 'vite'
import { describe, expect, it } from 'vitest'

// The interface has plainer words than the code: docs/GLOSSARY.md lists them.
const root = fileURLToPath(new URL('../..', import.meta.url))

/**
 * The sources of what members and guests see. The console of system admins may say "daemon", as their commands and
 * documents do.
 */
const seenByMembers = [
  'control-plane/web/**/*.{ts,tsx}',
  'control-plane/src/mail/*.ts',
  'control-plane/src/pages/*.ts',
  'control-plane/src/gateway/waking-page.ts',
  'daemon/ui/**/*.{ts,tsx}',
]
const forAdmins = ['control-plane/web/admin/**', 'control-plane/web/daemons/action-names.ts', '**/*.test.ts']

const codeWord = /(?<![\w./=-])(?:daemons?|relays?|tunnels?|trash|entitlements?|comped)(?![\w./=-])/i

/** The sentences in a source: texts in JSX, and strings and templates of more than one word. */
function sentencesIn(file: string, source: string): string[] {
  const found: string[] = []
  const visit = (node: unknown): void => {
    if (Array.isArray(node)) return node.forEach(visit)
    if (typeof node !== 'object' || node === null) return
    const { type, value } = node as { type?: string; value?: unknown }
    if (type === 'JSXText' && typeof value === 'string') found.push(value)
    if (type === 'Literal' && typeof value === 'string' && /\s/.test(value.trim())) found.push(value)
    if (type === 'TemplateElement') found.push((value as { cooked: string | null }).cooked ?? '')
    Object.values(node).forEach(visit)
  }
  visit(parseSync(file, source).program)
  return found
}

const codeWordsIn = (file: string, source: string) =>
  sentencesIn(file, source).filter((sentence) => codeWord.test(sentence))

describe('what members read', () => {
  it('is found in texts, strings and templates, and names of code are not', () => {
    const source = `import daemon from './daemon.ts'
      // the daemon
      const daemon = { orgId: 'daemon' }
      export const shown = <p title="Start the daemon">The daemon {\`of \${daemon.orgId} and its relay\`} <b>Trash</b></p>`
    expect(codeWordsIn('a.tsx', source)).toEqual(['Start the daemon', 'The daemon ', ' and its relay', 'Trash'])
  })

  it('has no words of the code', () => {
    const files = globSync(seenByMembers, { cwd: root, exclude: forAdmins })
    expect(files.length).toBeGreaterThan(100)
    const found = files.flatMap((file) =>
      codeWordsIn(file, readFileSync(`${root}/${file}`, 'utf8')).map((sentence) => `${file}: ${sentence.trim()}`),
    )
    expect(found).toEqual([])
  })
})
