import { QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { queries } from './api/queries.ts';
import { App } from './app.tsx';
import './styles/tokens.css';
import './styles/base.css';

const root = document.getElementById('desk');
if (!root) throw new Error('index.html has no element for the desk');
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <App />
    </QueryClientProvider>
  </StrictMode>,
);
