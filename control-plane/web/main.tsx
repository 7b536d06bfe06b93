import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app/app.tsx'
import { readTheme, showTheme } from '@svc/shared/design/chosen-theme.ts'
import '@svc/shared/design/all.css'
import './style/base.css'
import './style/controls.css'
import './style/frame.css'
import './style/pages.css'
import './style/agents.css'
import './style/news.css'

showTheme(readTheme())

const root = document.getElementById('root')
if (root === null) throw new Error('The page has no root element')
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
)
