// Ends this process when the one that started it over IPC ends, even if that was killed: the kernel then closes the
// channel between them. Imported by tests that start programs, and loaded with `--import` into those programs.
const PATIENCE_MS = 10_000

const end = (): void => {
  setTimeout(() => process.exit(1), PATIENCE_MS).unref()
  process.kill(process.pid, 'SIGTERM')
}

if (process.channel !== undefined) {
  process.once('disconnect', end)
  process.channel.unref() // it alone keeps no program running
} else if (process.send !== undefined) end()
