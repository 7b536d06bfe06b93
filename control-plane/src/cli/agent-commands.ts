import { SetAgentRuleRequest } from '@svc/shared/wire/agents.api.ts'
import { parseOrFail } from '@svc/shared/wire/error-body.ts'
import { textOf, type Command } from './command.ts'

const key = {
  type: 'string',
  required: true,
  describe: 'Address of a metadata document or redirect, a web origin, or local.',
} as const

const decide =
  (verdict: 'allowed' | 'blocked' | 'none'): Command['run'] =>
  async (context) => {
    const body = parseOrFail(SetAgentRuleRequest, { key: textOf(context, 'key'), verdict })
    return (await context.withSession()).call('PUT /api/admin/agent-rules', { body })
  }

/** Commands for the platform's rules for agents: which are blocked everywhere, or which alone are allowed. */
export const agentCommands: Command[] = [
  {
    words: 'agents list',
    summary: 'Lists which programs the platform blocks, or allows alone.',
    options: {},
    run: async (context) => (await context.withSession()).call('GET /api/admin/agent-rules'),
  },
  {
    words: 'agents block',
    summary: 'Blocks programs everywhere, whatever organizations approved; takes effect with their next call.',
    options: { key },
    run: decide('blocked'),
  },
  {
    words: 'agents allow',
    summary: 'Allows programs. As soon as one rule allows any, only allowed ones work.',
    options: { key },
    run: decide('allowed'),
  },
  {
    words: 'agents reset',
    summary: 'Takes a rule back, so that the approval of organizations decides alone.',
    options: { key },
    run: decide('none'),
  },
]
