// Builds a later version of the control plane into the given folder: this version with one more migration.
import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import { bundlePrograms, repository } from '../../setup/bundle-programs.ts'

const [target = ''] = process.argv.slice(2)
const bundle = join(repository, 'control-plane/dist/bundle')
const oneMore = "'9999-next': { up: (db) => db.schema.createTable('next_build').addColumn('id', 'integer').execute() },"

const plugin = {
  name: 'one-more-migration',
  transform(code: string, id: string) {
    if (!id.endsWith('/db/migrations.ts')) return undefined
    // Migrations run in the order of their names, so the position in the list does not matter.
    const changed = code.replace(/export const migrations\b[^{]*\{/, (begin) => `${begin}\n${oneMore}`)
    if (changed === code) throw new Error(`${id} has no list of migrations`)
    return changed
  },
}
const programs = { main: 'src/main.ts', 'svc-admin': 'src/cli/svc-admin.ts' }
await bundlePrograms({ part: 'control-plane', programs, target, plugins: [plugin] }, async (folder) => {
  for (const path of ['dist', 'bin', 'sbom.cdx.json'])
    await cp(join(bundle, path), join(folder, path), { recursive: true })
})
