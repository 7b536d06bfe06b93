// `npm run backup`, `npm run restore`, `npm run state`: commands of the embedded platform, with the Node of the project.
import { ensureDependencies } from './ensure.mjs'
import { runInForeground } from './foreground.mjs'

const [command, ...args] = process.argv.slice(2)
await ensureDependencies()
process.exit(await runInForeground([`embedded/${command}.command.ts`, ...args]))
