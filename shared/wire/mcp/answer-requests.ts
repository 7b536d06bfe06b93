import { toServiceError, toToolResult } from '../error-body.ts'
import { rpcCodes, toRpcFailure } from './rpc-failure.ts'
import { tellProgress } from './tell-progress.ts'

/** Where bugs are reported. */
type Log = { error(details: Record<string, unknown>, message: string): void }
type ToolCall<Content> = {
  name: string
  /** Told every second how long the call has run; absent when the client did not ask. */
  progress: ((seconds: number) => void) | undefined
  call(): Promise<{ result: Record<string, unknown>; content: Content[] }>
}

/**
 * How both MCP servers answer: an expected failure is told to the client in the form of its request, a bug is logged and
 * told without details.
 */
export function createAnswers(log: Log) {
  return {
    /** A request that is not a tool call: its failure is one of the protocol. */
    asRpc: async <T>(work: () => T | Promise<T>, data?: unknown): Promise<T> => {
      try {
        return await work()
      } catch (error) {
        const failure = toRpcFailure(error, data)
        if (failure.code === rpcCodes.internal) log.error({ err: error }, 'an MCP request failed by a bug')
        throw failure
      }
    },

    /** A tool call: its failure is a result that the model reads. */
    asToolResult: async <Content>({ name, progress, call }: ToolCall<Content>) => {
      const stop = progress ? tellProgress(progress) : () => {}
      try {
        const { result, content } = await call()
        return { content, structuredContent: result }
      } catch (error) {
        const failure = toServiceError(error)
        if (failure.code === 'internal') log.error({ err: error, tool: name }, 'a tool failed by a bug')
        return toToolResult(failure)
      } finally {
        stop()
      }
    },
  }
}
