// Shows the page anew when the file has changed.
let seen;

async function look() {
  try {
    const answer = await fetch('/version');
    const version = await answer.text();
    if (seen && version !== seen) location.reload();
    seen = version;
  } catch {
    // The preview was stopped; it may come back.
  }
  setTimeout(look, 700);
}

look();
