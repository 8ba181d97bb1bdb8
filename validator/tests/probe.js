// SPDX-License-Identifier: GPL-2.0
// Put behind a report's own end by test_browser.sh: measures the page as a reader sees it, with all that
// can be opened open, and leaves lines "WHAT VALUE" in the document.
(() => {
	const lines = [], say = (what, value) => lines.push(what + " " + value);
	const all = s => [...document.querySelectorAll(s)];
	const name = e => e.tagName.toLowerCase() + (e.className.baseVal ?? e.className ? "." +
		(e.className.baseVal ?? e.className) : "") + ":" + (e.textContent || "").trim().slice(0, 30);

	// As it is opened: style and layout are asked for, so they are done when the clock is read.
	const height = document.documentElement.getBoundingClientRect().height;
	say("opened", Math.ceil(performance.now()));
	say("height", Math.ceil(height));
	if (location.hash === "#time") {
		document.head.replaceChildren();
		document.body.replaceChildren();
		return void finish();
	}

	// All of it, also what the browser puts off until it is scrolled to.
	all("details").forEach(d => { d.open = true; });
	all("article").forEach(a => { a.style.contentVisibility = "visible"; });
	say("width", innerWidth);
	say("scroll", document.documentElement.scrollWidth);

	// What may be wider than the window scrolls in a frame of its own.
	const wide = all("body *").filter(e => !e.closest(".wide > *") && !e.closest("defs") &&
		e.getBoundingClientRect().right > innerWidth + 0.5);
	say("overflowing", wide.length + " " + wide.slice(0, 2).map(name).join(" | "));

	const marks = all("use").map(u => [u.getAttribute("href"), u.getBoundingClientRect()]);
	for (const id of all("defs g").map(g => g.id)) {
		const of = marks.filter(m => m[0] === "#" + id);
		say("mark-" + id, of.filter(m => m[1].width >= 5 && m[1].height >= 5).length + " of " + of.length);
	}
	say("unknown-marks", marks.filter(m => !document.querySelector(m[0])).length);
	const ticks = all("path.t").filter(t => t.getBoundingClientRect().height >= 5);
	say("ticks", ticks.length + " of " + all("path.t").length);

	// Drawn in one colour: pixels in which the two most alike shapes differ.
	const bitmap = g => {
		const canvas = new OffscreenCanvas(16, 16), c = canvas.getContext("2d");
		c.translate(8, 8);
		for (const e of g.children) {
			const p = new Path2D(e.getAttribute("d") ?? "");
			if (e.tagName === "circle")
				p.arc(0, 0, +e.getAttribute("r"), 0, 7);
			c.lineWidth = 1.6;
			e.getAttribute("class") === "s" ? c.fill(p) : c.stroke(p);
		}
		return c.getImageData(0, 0, 16, 16).data.filter((v, i) => i % 4 === 3).map(v => v > 127 ? 1 : 0);
	};
	const shapes = all("defs g").map(g => [g.id, bitmap(g)]);
	let alike = [999, ""];
	for (const [i, a] of shapes.entries()) {
		for (const b of shapes.slice(i + 1)) {
			const n = a[1].reduce((sum, v, k) => sum + (v !== b[1][k]), 0);
			if (n < alike[0])
				alike = [n, a[0] + b[0]];
		}
		say("pixels-" + a[0], a[1].reduce((sum, v) => sum + v, 0));
	}
	say("alike", alike.join(" "));

	// Contrast of text, as WCAG counts it.
	const light = rgb => rgb.map(v => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
		.reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
	const rgb = css => (css.match(/[\d.]+/g) ?? []).map(Number);
	const ground = e => {
		for (; e; e = e.parentElement) {
			const c = rgb(getComputedStyle(e).backgroundColor);
			if (c.length === 3)
				return c;
		}
		return [255, 255, 255];
	};
	let poorest = [99, ""];
	for (const e of all("body *, text")) {
		if (![...e.childNodes].some(n => n.nodeType === 3 && n.data.trim()))
			continue;
		const style = getComputedStyle(e);
		const a = light(rgb(e.namespaceURI.endsWith("svg") ? style.fill : style.color).slice(0, 3));
		const b = light(ground(e));
		const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
		if (ratio < poorest[0])
			poorest = [ratio, name(e)];
	}
	say("contrast", Math.floor(poorest[0] * 100) + " " + poorest[1]);
	say("dark", light(ground(document.body)) < 0.2 ? 1 : 0);

	// By keyboard: all that can be opened or followed takes the focus, shows it, and leads somewhere.
	const doors = all("a, summary, [tabindex]");
	say("doors", doors.length);
	say("shut", doors.filter(e => {
		e.focus();
		return document.activeElement !== e || getComputedStyle(e).outlineStyle === "none";
	}).map(name).join(" | "));
	say("scrolling-without-focus", all("body *").filter(e => e.scrollWidth > e.clientWidth + 1 &&
		getComputedStyle(e).overflowX === "auto" && e.tabIndex < 0).length);
	say("lost-links", all("a").filter(a => !document.getElementById(a.hash.slice(1))).length);
	const ids = all("[id]").map(e => e.id);
	say("ids-twice", ids.length - new Set(ids).size);
	say("images-without-words", all("[role=img]").filter(e => !e.getAttribute("aria-label")).length);
	say("scripts", document.scripts.length - 1);
	say("handlers", all("*").filter(e => e.getAttributeNames().some(n => n.startsWith("on"))).length);
	say("title", document.title);
	say("text", JSON.stringify(document.body.innerText));
	finish();

	function finish() {
		const pre = document.createElement("pre");
		pre.id = "probe";
		pre.textContent = "\nPROBE\n" + lines.join("\n") + "\nEND\n";
		document.body.append(pre);
	}
})();
