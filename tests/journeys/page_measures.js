// A function that returns what is wrong with the page as it is laid out: what, with figures, and on which element.
// Lengths are in CSS pixels.
onPaper => {
  const CHARACTERS = 20;
  // A cell shares its row with others: its text may stand in more lines.
  const LINES_OF_CELL = 3;
  const TIMES_BUTTON = 2;
  const TIMES_PAGE = 10;
  const BETWEEN_BUTTONS = 4;
  const BUTTONS = "button, .button, input[type=submit]";
  const OF_NO_USE_ON_PAPER = `${BUTTONS}, nav, [role=search], .demonstration, .on-screen`;

  const page = document.documentElement;
  const styles = new Map();
  const range = document.createRange();

  function styleOf(element) {
    if (!styles.has(element)) styles.set(element, getComputedStyle(element));
    return styles.get(element);
  }

  const sum = numbers => numbers.reduce((total, each) => total + each, 0);
  const padding = (style, ...sides) => sum(sides.map(side => parseFloat(style[`padding${side}`])));
  const border = (style, ...sides) => sum(sides.map(side => parseFloat(style[`border${side}Width`])));
  const isSeen = element => element.checkVisibility({visibilityProperty: true});
  const allSeen = selector => [...document.querySelectorAll(selector)].filter(isSeen);

  function pathOf(element) {
    const path = [];
    for (let each = element; each && each !== document.body && path.length < 3; each = each.parentElement)
      path.unshift([each.localName, ...each.classList].join("."));
    return path.join(" > ");
  }

  // Of faults that are alike, the first and their number.
  const faults = new Map();
  function note(what, element) {
    const path = pathOf(element), key = what.replace(/\d+/g, "") + path;
    const words = element.textContent.trim().replace(/\s+/g, " ").slice(0, 40);
    const fault = faults.get(key) || {says: `${what}: ${path} “${words}”`, number: 0};
    faults.set(key, {...fault, number: fault.number + 1});
  }

  function blockOf(element) {
    while (["inline", "contents"].includes(styleOf(element).display)) element = element.parentElement;
    return element;
  }

  // The texts of blocks, split at forced line breaks, each with the boxes of its pieces.
  function textsOfPage() {
    const texts = [];
    let text = null;
    const show = NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT;
    const walker = document.createTreeWalker(document.body, show);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const element = node.parentElement;
      if (node.localName === "br") text = null;
      if (node.nodeType !== Node.TEXT_NODE || !node.data.trim() || !isSeen(element)) continue;
      const block = blockOf(element);
      const keepsBreaks = styleOf(element).whiteSpaceCollapse !== "collapse";
      let start = 0;
      for (const line of keepsBreaks ? node.data.split("\n") : [node.data]) {
        if (start || text?.block !== block) texts.push(text = {block, words: "", boxes: []});
        range.setStart(node, start);
        range.setEnd(node, start + line.length);
        const boxes = [...range.getClientRects()].filter(box => box.width > 0);
        text.boxes.push(...boxes);
        if (boxes.length) text.words += line;
        start += line.length + 1;
      }
    }
    return texts.filter(({boxes}) => boxes.length);
  }

  function linesOf(boxes) {
    let lines = 1, bottom = boxes[0].bottom;
    for (const box of boxes) {
      if (box.top >= bottom - 1) lines += 1;
      bottom = Math.max(bottom, box.bottom);
    }
    return lines;
  }

  const widthOf = boxes => sum(boxes.map(box => box.width));
  const spanOf = (boxes, from, to) =>
    Math.max(...boxes.map(box => box[to])) - Math.min(...boxes.map(box => box[from]));

  function lookForNarrowColumn({block, words, boxes}) {
    const characters = words.trim().replace(/\s+/g, " ").length;
    const column = block.clientWidth - padding(styleOf(block), "Left", "Right");
    // In characters as wide as those of this text.
    const fits = Math.floor(column / (widthOf(boxes) / characters));
    const lines = linesOf(boxes), allowed = block.closest("td, th") ? LINES_OF_CELL : 1;
    if (characters > CHARACTERS && fits < CHARACTERS && lines > allowed)
      note(`${characters} characters stand in ${lines} lines of ${fits}`, block);
  }

  // Text for screen readers alone.
  const isClipped = element => styleOf(element).clipPath !== "none" || styleOf(element).clip !== "auto";

  function mayReachBeyond(element) {
    for (let each = element; each !== page; each = each.parentElement) {
      const isAbove = each.getBoundingClientRect().bottom + scrollY <= 0;  // the skip link
      // Scrolls in a container of its own, as paper does not.
      const isScrolled = !onPaper && ["auto", "scroll"].includes(styleOf(each).overflowX);
      if (isClipped(each) || isAbove || isScrolled) return true;
    }
    return false;
  }

  function lookBeyond({block, boxes}) {
    const right = Math.max(...boxes.map(box => box.right)), left = Math.min(...boxes.map(box => box.left));
    const beyond = Math.ceil(Math.max(right - innerWidth, -left));
    if (beyond > 0 && !mayReachBeyond(block)) note(`reaches beyond the window by ${beyond}`, block);
  }

  function lookForLargeButton(button, texts) {
    const boxes = texts.filter(({block}) => button.contains(block) && !isClipped(block)).flatMap(text => text.boxes);
    if (!boxes.length) return;
    const style = styleOf(button), box = button.getBoundingClientRect();
    const width = spanOf(boxes, "left", "right") + padding(style, "Left", "Right") + border(style, "Left", "Right");
    const height = spanOf(boxes, "top", "bottom") + padding(style, "Top", "Bottom") + border(style, "Top", "Bottom");
    const high = Math.max(height, parseFloat(style.minHeight) || 0);
    if (box.width > TIMES_BUTTON * width || box.height > TIMES_BUTTON * high)
      note(`is ${Math.round(box.width)} × ${Math.round(box.height)}, and its text asks for`
        + ` ${Math.round(width)} × ${Math.round(high)}`, button);
  }

  // An input and the button that sends it may be joined; two buttons may not.
  function lookForTouchingButtons(buttons) {
    const boxes = buttons.map(button => button.getBoundingClientRect());
    for (const [number, box] of boxes.entries()) {
      const before = boxes.slice(0, number).findIndex(other =>
        Math.max(box.left - other.right, other.left - box.right,
          box.top - other.bottom, other.top - box.bottom) < BETWEEN_BUTTONS);
      if (before >= 0) note(`touches “${buttons[before].textContent.trim()}”`, buttons[number]);
    }
  }

  function lookForHighPage(texts) {
    const ofText = texts.map(({boxes}) =>
      Math.ceil(widthOf(boxes) / innerWidth) * Math.max(...boxes.map(box => box.height)));
    const ofOthers = allSeen("input, select, textarea, svg, img, iframe")
      .map(each => each.getBoundingClientRect().height);
    const needed = Math.round(sum([...ofText, ...ofOthers])), height = page.scrollHeight;
    if (height > Math.max(innerHeight, TIMES_PAGE * needed))
      note(`is ${height} high, and its text needs ${needed} at full width`, page);
  }

  const texts = textsOfPage();
  texts.forEach(lookForNarrowColumn);
  texts.forEach(lookBeyond);
  if (page.scrollWidth > innerWidth) note(`is wider than the window by ${page.scrollWidth - innerWidth}`, page);
  if (onPaper) allSeen(OF_NO_USE_ON_PAPER).forEach(each => note("is of no use on paper", each));
  else {
    allSeen(BUTTONS).forEach(each => lookForLargeButton(each, texts));
    lookForTouchingButtons(allSeen(BUTTONS));
  }
  lookForHighPage(texts);
  return [...faults.values()].map(({says, number}) => number > 1 ? `${says} and ${number - 1} alike` : says);
}
