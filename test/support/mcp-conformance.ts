import { execFile } from 'node:child_process'
import { mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { removeFolder } from './remove-folder.ts'

/** The program of the conformance suite. */
export const conformanceProgram = fileURLToPath(
  new URL('../../node_modules/@modelcontextprotocol/conformance/dist/index.js', import.meta.url),
)

type Run = { url: string; version: string; expectedFailures: readonly string[] }
/** The scenarios that passed completely, the scenarios that failed unexpectedly, and the last output of the suite. */
export type Conformance = { passed: string[]; failed: { scenario: string; output: string }[]; end: string }

/**
 * Runs every scenario of the server suite against an endpoint. `expectedFailures` are names of files beside
 * `test/mcp-expected-failures.yaml`. The suite waits ten seconds for a response, which a busy machine can exceed.
 * Therefore a scenario that fails unexpectedly is run again alone, up to four times, and the last result counts.
 */
export async function runConformance({ url, version, expectedFailures }: Run): Promise<Conformance> {
  const server = ['server', '--url', url, '--spec-version', version]
  const names = (await Promise.all(expectedFailures.map(namesIn))).flat()
  const folder = await mkdtemp(join(tmpdir(), 'svc-conformance-'))
  try {
    const file = join(folder, 'expected-failures.yaml')
    await writeFile(file, `server:\n${names.map((name) => `  - ${name}\n`).join('')}`)
    const { output } = await run([...server, '--suite', 'all', '--expected-failures', file])
    const results = [...output.matchAll(/^([✓✗]) (\S+): (\d+) passed, (\d+) failed/gmu)]
    const passed = results.flatMap(([, mark, name, many]) => (mark === '✓' && many !== '0' ? name! : []))
    const failed: Conformance['failed'] = []
    for (const [, mark, name] of results) {
      if (mark === '✓' || names.includes(name!)) continue
      const runAlone = () => run([...server, '--scenario', name!])
      let again = await runAlone()
      for (let runs = 1; again.code !== 0 && runs < 4; runs += 1) again = await runAlone()
      if (again.code === 0) passed.push(name!)
      else failed.push({ scenario: name!, output: again.output })
    }
    return { passed, failed, end: output.slice(-2000) }
  } finally {
    await removeFolder(folder)
  }
}

async function namesIn(file: string): Promise<string[]> {
  const text = await readFile(new URL(`../${file}`, import.meta.url), 'utf8')
  return [...text.matchAll(/^ {2}- (\S+)$/gm)].map(([, name]) => name!)
}

function run(args: readonly string[]): Promise<{ code: number | null; output: string }> {
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [conformanceProgram, ...args],
      { maxBuffer: 64 * 1024 * 1024 },
      (_error, stdout, stderr) => resolve({ code: child.exitCode, output: `${stdout}\n${stderr}` }),
    )
  })
}
