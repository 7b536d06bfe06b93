import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from 'react-router/dom'
import { createQueryClient } from './app/query-client.ts'
import { createAppRouter } from './app/router.tsx'
import { prefetchSession } from './app/session.tsx'
import { readTheme, showTheme } from '@svc/shared/design/chosen-theme.ts'
import '@svc/shared/design/all.css'
import './style/base.css'
import './style/controls.css'
import './style/frame.css'
import './style/pages.css'
import './style/agents.css'
import './style/news.css'

showTheme(readTheme())

const client = createQueryClient()
// Request the session while the other parts of the page load.
void prefetchSession(client)

const root = document.getElementById('root')
if (root === null) throw new Error('The page has no root element')
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={client}>
      <RouterProvider router={createAppRouter()} />
    </QueryClientProvider>
  </StrictMode>,
)
