import { z } from 'zod'
import type { ListedTool } from '@svc/shared/wire/mcp/tool-definition.ts'
import type { ToolContent } from '@svc/shared/wire/mcp/agent-call.api.ts'
import type { LiveGrant } from '../oauth/grants.repository.ts'

/** Who calls a tool, and until when the answer matters. */
export type ToolCall = { grant: LiveGrant; signal: AbortSignal }

/** What a tool answers: for programs, and the same for the model. */
export type ToolResult = { result: Record<string, unknown>; content: ToolContent[] }

/** A tool of the control plane's endpoint: how it is listed, and what it does with arguments that nobody has checked. */
export type PlatformTool = { listed: ListedTool; call(args: unknown, by: ToolCall): Promise<ToolResult> }

/** The organization, in every tool but the one that lists them. */
export const orgArgument = z.string().min(1).max(200).describe('From list_orgs; there is no default.')
