import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { format, resolveConfig } from 'prettier'
import { chartRules } from './chart-rules.ts'
import { readValues } from './values-file.ts'
import { valuesSchema } from './values-schema.ts'
import { valuesTable, withTable } from './values-table.ts'

/** Manifests of `crds/` that a chart contains: Helm reads nothing outside the chart's own folder. */
const carried: Record<string, readonly string[]> = {
  'svc-platform': ['managed-daemon.yaml', 'roles.yaml', 'policies.yaml'],
  svcd: [],
}

/** Names of the charts. */
export const charts = Object.keys(chartRules)

const repository = new URL('../../', import.meta.url)
const textOf = (path: string) => readFile(new URL(path, repository), 'utf8')

/** Every generated file of the charts, by path from the root of the repository, with its required text. */
export async function chartFiles(): Promise<Map<string, string>> {
  const files = new Map<string, string>()
  for (const chart of charts) {
    const folder = `charts/${chart}`
    const values = readValues(await textOf(`${folder}/values.yaml`))
    const schema = JSON.stringify(valuesSchema(values, chartRules[chart] ?? []))
    files.set(`${folder}/values.schema.json`, await formatted(`${folder}/values.schema.json`, schema))
    const readme = withTable(await textOf(`${folder}/README.md`), valuesTable(values))
    files.set(`${folder}/README.md`, await formatted(`${folder}/README.md`, readme))
    for (const name of carried[chart] ?? []) files.set(`${folder}/files/${name}`, await textOf(`crds/${name}`))
  }
  return files
}

async function formatted(path: string, text: string): Promise<string> {
  const filepath = fileURLToPath(new URL(path, repository))
  return format(text, { ...(await resolveConfig(filepath)), filepath })
}
