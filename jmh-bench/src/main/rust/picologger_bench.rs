// SPDX-License-Identifier: Apache-2.0
//! Messages to the crate picologger, each timed, with the settings of its own benchmark. MESSAGE_BYTES is the size of a message
//! when this is compiled.
//!
//!     picologger_bench LOG_FILE MESSAGES RESULTS    as fast as they go; of one in 64 it is timed too when the crate says that
//!                                                   it has reached the disk
//!     picologger_bench serve LOG_FILE               a peer that the harness asks, as those of serve.h: the time of a submission
//!     picologger_bench count LOG_FILE               prints how many messages are found
//!
//! RESULTS gets unsigned 64-bit numbers, little-endian: nanoseconds until all were submitted, until the last one had
//! reached the disk, of each submission, and then of each timed way to the disk.

use picologger::Logger;
use std::io::{self, BufRead, Write};
use std::sync::mpsc::sync_channel;
use std::time::Instant;
use std::{env, fs, thread};

const BYTES: usize = number(env!("MESSAGE_BYTES"));
const FILL: u8 = b'x';
const SLOTS: usize = 4096;
const FLUSH_NANOS: u64 = 1_000_000;
const POLL_NANOS: u64 = 10_000;
const TIMED: u64 = 64;
const OVERHEAD: u64 = 29;
const SERVED_FILE_BYTES: u64 = 1 << 28;

#[derive(Clone, Copy)]
#[repr(C)]
struct Message {
    bytes: [u8; BYTES],
}

impl Default for Message {
    fn default() -> Self {
        Message { bytes: [FILL; BYTES] }
    }
}

const fn number(text: &str) -> usize {
    let digits = text.as_bytes();
    let mut value = 0;
    let mut i = 0;
    while i < digits.len() {
        value = value * 10 + (digits[i] - b'0') as usize;
        i += 1;
    }
    value
}

fn logger(file: &str, file_bytes: u64) -> Logger<Message> {
    let mut logger =
        Logger::<Message>::new().with_write_config(file.to_string(), SLOTS, FLUSH_NANOS, POLL_NANOS, file_bytes);
    logger.start().expect("picologger starts");
    logger
}

fn await_on_disk(sequence: u64) {
    while Logger::<Message>::get_last_flushed_entry() < sequence {
        thread::yield_now();
    }
}

fn nanos(since: Instant) -> u64 {
    since.elapsed().as_nanos() as u64
}

/// The crate says on standard output that it makes room in a file; so the file has it before.
fn serve(file: &str) {
    fs::File::create(file).and_then(|made| made.set_len(SERVED_FILE_BYTES)).expect("a file");
    let mut logger = logger(file, SERVED_FILE_BYTES);
    let message = Message::default();
    let mut last = 0;
    let mut out = io::stdout().lock();
    for line in io::stdin().lock().lines() {
        let mut values = vec![1u64];
        if let Ok(count) = line.expect("a line").parse::<usize>() {
            values = vec![0u64; count];
            for value in values.iter_mut() {
                let begin = Instant::now();
                last = logger.log(message).expect("a sequence");
                *value = nanos(begin);
            }
        } else if last > 0 {
            await_on_disk(last);
        }
        let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_ne_bytes()).collect();
        out.write_all(&bytes).and_then(|()| out.flush()).expect("an answer");
    }
}

/// Few of the bytes between messages are like theirs.
fn count(file: &str) {
    let bytes = fs::read(file).expect("a file");
    println!("{}", bytes.iter().filter(|&&byte| byte == FILL).count() / BYTES);
}

fn main() {
    let arguments: Vec<String> = env::args().collect();
    match arguments[1].as_str() {
        "serve" => serve(&arguments[2]),
        "count" => count(&arguments[2]),
        file => as_fast_as_they_go(file, arguments[2].parse().expect("MESSAGES is a number"), &arguments[3]),
    }
}

fn as_fast_as_they_go(file: &str, messages: u64, results: &str) {
    let warm_up = messages / 10;
    let mut logger = logger(file, (messages + warm_up) * (BYTES as u64 + OVERHEAD));
    let message = Message::default();
    let mut last = 0;
    for _ in 0..warm_up {
        last = logger.log(message).expect("a sequence");
    }
    await_on_disk(last);

    let (sender, timed) = sync_channel::<(u64, Instant)>((messages / TIMED + 1) as usize);
    let watcher = thread::spawn(move || {
        let mut lags = Vec::new();
        while let Ok((sequence, begin)) = timed.recv() {
            await_on_disk(sequence);
            lags.push(nanos(begin));
        }
        lags
    });
    let mut submits = vec![0u64; messages as usize];
    let start = Instant::now();
    for i in 0..messages {
        let begin = Instant::now();
        last = logger.log(message).expect("a sequence");
        submits[i as usize] = nanos(begin);
        if i % TIMED == 0 {
            sender.send((last, begin)).expect("the watcher lives");
        }
    }
    let submitted = nanos(start);
    await_on_disk(last);
    let on_disk = nanos(start);
    drop(sender);
    let lags = watcher.join().expect("the watcher ends");
    let mut bytes = Vec::new();
    for value in [submitted, on_disk].iter().chain(&submits).chain(&lags) {
        bytes.extend_from_slice(&value.to_le_bytes());
    }
    fs::write(results, bytes).expect("results are written");
}
