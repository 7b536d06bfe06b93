import type { LiveWho } from '@svc/shared/wire/daemon/live-messages.ts'
import { LiveText, type Unsent } from './live-text.ts'
import { NOBODY, type LiveView } from './live-view.ts'
import { saveStateOf, type SaveFacts } from './save-state.ts'

/**
 * The state of the connection of a live link. `hello`: connected, not welcomed yet; `text`: the whole text is arriving;
 * `behind`: connected, and updates of others are arriving (nothing is sent before they are here); `refused`: the daemon
 * does not take our changes; `gone`: the note was deleted.
 */
export type Phase = 'offline' | 'hello' | 'text' | 'behind' | 'ready' | 'refused' | 'gone' | 'closed'

export type LinkState = ReturnType<typeof linkState>

type Options = {
  path: string
  /** A new client, or a known one with its text of the note and any unsent changes. */
  client: string | Unsent
  viewChanged(): void
}

/** The state of a live link: the text, the connection, the save, and the view for screens. */
export function linkState({ path, client, viewChanged }: Options) {
  const kept = typeof client === 'string' ? undefined : client
  const state = {
    clientId: kept?.clientId ?? (client as string),
    text: kept && new LiveText(kept),
    phase: 'offline' as Phase,
    /** Connections that broke since everything was sent or a push was confirmed. */
    attempts: 0,
    /** A push was sent that the daemon has not confirmed yet. */
    inFlight: false,
    /**
     * An update did not apply to the local text, or the daemon counts our updates differently. The next connection
     * requests the whole text.
     */
    isDoubtful: false,
    /** The daemon sends signs of life on this connection. */
    isKeptAlive: false,
    /** The host sleeps: connect only when there is something to send. */
    isPaused: false,
    durable: undefined as { version: number; at: string; baseline: string } | undefined,
    failure: undefined as string | undefined,
    end: undefined as { who: LiveWho | undefined; rescued: boolean } | undefined,
    view: {
      save: { state: 'loading' },
      path,
      you: undefined,
      presence: NOBODY,
      clash: kept?.clash,
      canKeep: true,
    } as LiveView,

    hasUnsent: () => (state.text?.hasUnsent ?? false) || state.view.clash !== undefined,

    /** Updates the view and notifies the screens. */
    show(change: Partial<LiveView>): void {
      state.view = { ...state.view, ...change }
      viewChanged()
    },
    /** As `show`, with the save state computed from the current state. */
    showSave(change: Partial<LiveView> = {}): void {
      state.view = { ...state.view, ...change }
      state.show({ save: saveState() })
    },
  }

  const saveState = () =>
    saveStateOf({
      phase: savePhaseOf(state.phase),
      attempts: state.attempts,
      isAsleep: state.isPaused,
      hasUnsent: state.hasUnsent(),
      hasConflict: state.view.clash !== undefined,
      failure: state.failure,
      version: state.text?.version ?? 0,
      durable: state.durable,
      end: state.end,
    })

  if (state.text) state.view = { ...state.view, save: saveState() }
  return state
}

function savePhaseOf(phase: Phase): SaveFacts['phase'] {
  return phase === 'ready' || phase === 'refused' || phase === 'gone' || phase === 'offline' ? phase : 'joining'
}
