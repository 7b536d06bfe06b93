// Ends this process when its parent, connected over IPC, ends. This works even if the parent was killed, because the
// kernel then closes the channel. Imported by tests that start programs, and loaded with `--import` into those
// programs.
const PATIENCE_MS = 10_000

const end = (): void => {
  setTimeout(() => process.exit(1), PATIENCE_MS).unref()
  process.kill(process.pid, 'SIGTERM')
}

if (process.channel !== undefined) {
  process.once('disconnect', end)
  process.channel.unref() // the channel alone must not keep the program running
} else if (process.send !== undefined) end()
