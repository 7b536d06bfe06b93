import { readTheme, showTheme } from '@svc/shared/design/chosen-theme.ts'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { trackConnection } from './api/connection.ts'
import { daemonClient, type DaemonClient } from './api/daemon-client.ts'
import { App } from './app/app.tsx'
import { browserMemory } from './app/memory.ts'
import { browserNavigation } from './app/navigation.ts'
import { reloadForMissingParts } from './parts/lazy-part.tsx'
import { missingPage, PartBoundary } from './parts/part-boundary.tsx'
import { ServicesContext } from './app/services.ts'
import { refuseStrayFiles } from './app/stray-files.ts'

const connection = trackConnection({
  later: (run, seconds) => setTimeout(run, seconds * 1000),
  probe: (): Promise<unknown> => client.probe(),
})
const client: DaemonClient = daemonClient({ fetch: window.fetch.bind(window), heard: connection.heard })
const navigation = browserNavigation(window)
const memory = browserMemory(window.localStorage)
const visit = browserMemory(window.sessionStorage)

showTheme(readTheme())
refuseStrayFiles(window)
reloadForMissingParts(() => client.probe())
createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <ServicesContext value={{ client, connection, navigation, memory, visit }}>
      <PartBoundary missing={missingPage}>
        <App />
      </PartBoundary>
    </ServicesContext>
  </StrictMode>,
)
