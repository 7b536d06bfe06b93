import { ConfigurationError } from '@svc/shared/kit/configuration-error.ts'
import { createLog } from '@svc/shared/kit/log.ts'
import { systemClock } from '@svc/shared/kit/clock.ts'
import { exitCodes } from '@svc/shared/wire/exit-codes.ts'
import { createOperator } from './app.ts'
import { help, readOperatorConfig } from './config.ts'
import { serveHealth } from './health-server.ts'
import { defaultLimits } from './managed-daemon/plan-limits.ts'
import { loadKubeConfig } from '@svc/kube/src/kube-config.ts'
import { operatorMetrics } from './operator-metrics.ts'

/** Runs the operator until it is told to stop. */
async function main(args: string[]): Promise<void> {
  if (args.includes('--help')) return void process.stdout.write(`${help()}\n`)
  if (args.length > 0) return end(exitCodes.usage, `unknown argument ${args[0]}; see --help`)

  try {
    const config = readOperatorConfig()
    const log = createLog({ service: 'svc-operator', level: config.logLevel })
    const stop = new AbortController()
    const kubeConfig = loadKubeConfig(config.kubeconfig)
    const limits = { ...defaultLimits, startDeadlineMs: config.startDeadlineMs }
    const operator = createOperator({ config, kubeConfig, clock: systemClock, log, random: Math.random, limits })
    const { server, port } = await serveHealth({ operator, metrics: operatorMetrics(operator), ...config.listen })
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort())

    log.info({ namespace: config.daemonNamespace, port }, 'the operator runs')
    await operator.run(stop.signal)
    server.close()
    process.exit(0)
  } catch (error) {
    if (error instanceof ConfigurationError) return end(exitCodes.configuration, error.message)
    return end(exitCodes.failure, `cannot start: ${error instanceof Error ? error.message : String(error)}`)
  }
}

function end(code: number, message: string): void {
  process.stderr.write(`svc-operator: ${message.replaceAll('\n', '; ')}\n`)
  process.exit(code)
}

await main(process.argv.slice(2))
