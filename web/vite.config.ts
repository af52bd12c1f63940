import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** What the build, the development server and the unit tests share. */
export default defineConfig({
  plugins: [react()],
  define: { __BUILD_YEAR__: new Date().getFullYear() },
  css: { modules: { generateScopedName: '[hash:base64:5]' } },
});
