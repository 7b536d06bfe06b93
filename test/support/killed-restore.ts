// Run as a process of its own. Puts an unpacked home in place, as the start of a daemon does, and kills itself before
// the n-th change of the file system, counted from 1. If it survives, it prints the number of changes.
import { beforeEachChange } from './file-changes.ts'

const [, , home = '', dieAt = '0'] = process.argv
let changes = 0
beforeEachChange(() => {
  changes += 1
  if (changes === Number(dieAt)) process.kill(process.pid, 'SIGKILL')
})

const { replaceHome } = await import('../../daemon/src/backups/replace-home.ts')
const { homeLayout } = await import('../../daemon/src/home/home-layout.ts')
await replaceHome(homeLayout(home))
console.log(changes)
