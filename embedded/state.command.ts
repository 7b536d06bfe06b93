import { rm } from 'node:fs/promises'
import { readStateCommand } from './command-line.ts'
import { endWith } from './end-with.ts'
import { confirmRemoval } from './installation/confirm-removal.ts'
import { dataHolder } from './installation/lock-data.ts'
import { listOutsideState, listOwnState } from './installation/list-state.ts'
import { readDataRecord } from './installation/installation-record.ts'
import { dataLayout, databaseLayout, type DataLayout } from './installation/places.ts'
import { StartRefused, WrongUse } from './installation/refusal.ts'
import { describePaths } from './installation/reset-installation.ts'

const HELP = `npm run state lists all state of the platform on this machine: of this installation, and, as root, the databases
and programs of every clone that lie in /var/lib/svc-platform.

npm run state -- remove NAME deletes a database whose installation is gone, or programs that nothing uses.

  --data DIR   folder of all state (SVC_DATA)
  --yes        delete without asking
  --help       this text`

await main().catch(endWith)

async function main(): Promise<void> {
  const command = readStateCommand(process.argv.slice(2))
  if (command.asked === 'help') return console.log(HELP)
  const layout = dataLayout(command.dataDir)
  if (command.asked === 'list') return list(layout)
  await remove({ layout, name: command.name, sure: command.sure })
}

async function list(layout: DataLayout): Promise<void> {
  const { dataDir } = layout
  const record = await readDataRecord(layout)
  const holder = dataHolder(dataDir)
  const running = holder === undefined ? 'stopped' : `running (process ${holder})`
  console.log(
    record === undefined ? `No installation in ${dataDir}` : `Installation ${record.id} in ${dataDir}, ${running}`,
  )
  for (const line of await describePaths(await listOwnState(layout))) console.log(line)

  const outside = await listOutsideState(layout)
  if (outside.length === 0) return
  console.log('Outside of data folders')
  const lines = await describePaths(outside.map(({ path }) => path))
  for (const [index, { what, keep }] of outside.entries())
    console.log(`${lines[index]}  ${what}${keep === undefined ? '' : `; stays: ${keep}`}`)
}

async function remove({ layout, name, sure }: { layout: DataLayout; name: string; sure: boolean }): Promise<void> {
  const found = (await listOutsideState(layout)).find((state) => state.name === name)
  if (found === undefined)
    throw new WrongUse(`There is no ${name} that could be removed. npm run state lists what there is.`)
  if (found.keep !== undefined) throw new StartRefused(`${found.path} stays: ${found.keep}.`)
  await confirmRemoval({ paths: [found.path], sure, again: `npm run state -- remove ${name} --yes` })
  await rm(databaseLayout(found.path).record, { force: true }) // an incomplete database counts as none
  await rm(found.path, { recursive: true, force: true })
  console.log(`  Removed ${found.path}.`)
}
